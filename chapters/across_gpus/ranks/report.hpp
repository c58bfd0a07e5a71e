// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What rank 0 writes: one line on the terminal for each step and size, and the file of --json.
#pragma once

#include "control.hpp"
#include "measure.hpp"
#include "model.hpp"
#include "rank.hpp"

namespace across_gpus {

class Report {
public:
    /// Adds what all ranks found of a step. `counted` is what the model counted of it, and known to rank 0.
    /// Returns whether it was right.
    bool add(const Rank& rank, Control& control, const Step& step, const Outcome& outcome,
        const Counted& counted);
    /// Throws std::runtime_error if the file cannot be written.
    void write(const std::string& file) const;

private:
    std::string rows_;
};

}  // namespace across_gpus
