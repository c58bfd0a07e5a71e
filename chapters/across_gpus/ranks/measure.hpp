// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Fills a rank's rows, runs a step, times it and checks it.
#pragma once

#include "control.hpp"
#include "rank.hpp"

namespace across_gpus {

struct Outcome {
    /// Of each sample, by this rank's events. None under the model, which does not time.
    std::vector<float> milliseconds;
    /// Elements of this rank's output that are wrong.
    unsigned long long wrong = 0;
};

void fill_input(Rank& rank);

/// Checks the output before the timing and after it. `samples` 0: does not time.
Outcome measure(Rank& rank, Control& control, const Step& step, int samples);

}  // namespace across_gpus
