// The exit code and the output of a chapter's program, for tests of the harness.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conflict_free/chapter.hpp"

namespace conflict_free {

/// How a program ended, and what it wrote to the standard output and to the standard error.
struct Outcome {
    int exit_code;
    std::string out, err;
};

/// Runs a chapter as its program does with these `arguments`, without the program's name.
inline Outcome outcome_of(Chapter& chapter, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "trial");
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = chapter.run(static_cast<int>(argv.size()), argv.data());
    return {exit_code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// Whether a text is one line, as a message about bad arguments should be.
inline bool one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

/// Expects the end of a program with bad arguments: exit code 2, and one line that has `named` and says what is accepted.
inline void expect_refused(const Outcome& outcome, const std::string& named) {
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(one_line(outcome.err)) << outcome.err;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("accepted"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

/// The path of a file in a folder of this process.
inline std::string temporary(const char* name) {
    const auto folder = std::filesystem::temp_directory_path() / ("conflict_free_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

}  // namespace conflict_free
