// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What a chapter's program does, for tests of the harness.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conflict_free/chapter.hpp"

namespace conflict_free {

/// How a program ended, and what it wrote to the standard output and to the standard error.
struct Outcome {
    int exit_code;
    std::string out, err;
};

/// Runs a chapter as its program does that is given `arguments`, its own name not among them.
inline Outcome outcome_of(Chapter& chapter, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "trial");
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = chapter.run(static_cast<int>(argv.size()), argv.data());
    return {exit_code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace conflict_free
