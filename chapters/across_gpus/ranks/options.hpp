// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The command line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rank.hpp"

namespace across_gpus {

struct Size {
    std::size_t width = 0, height = 0;
};

struct Options {
    std::vector<Size> sizes;
    /// Those asked for, or all.
    std::vector<Step> steps;
    std::string json, rendezvous;
    /// Whose rules the model applies; empty for its own choice.
    std::string machine;
    int samples = 20, pieces = 5;
    /// How many GPUs one process takes, or devices the model has; 0 for all that are there.
    int devices = 0;
    bool list = false, help = false;
    /// What all ranks must have been given alike.
    std::string common;
};

extern const char* const USAGE;

/// Throws std::runtime_error with one line that names the argument, what was given and what is accepted.
Options options_from(std::vector<std::string> arguments);

}  // namespace across_gpus
