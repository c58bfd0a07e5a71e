// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A rank's GPU, memory, and ways to the other ranks' memory.
#pragma once

#include "control.hpp"
#include "rank.hpp"

namespace across_gpus {

struct Needs {
    /// Floats of the largest input and output that this rank will have, and of its buffers beside them (0: none).
    std::size_t input = 0, output = 0, staging = 0, whole = 0;
    bool communicator = false;
};

/// Gives the rank a GPU of its own. Throws std::runtime_error with one line.
void take_device(Rank& rank, Control& control, const Launch& launch);
/// Allocates what is needed, and opens the other ranks' inputs, outputs and flags.
void take_memory(Rank& rank, Control& control, const Needs& needs);
void make_communicator(Rank& rank, Control& control);

}  // namespace across_gpus
