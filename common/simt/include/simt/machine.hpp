// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The machines whose memory rules the model applies. A machine is data; all of them stand in machines.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt {

/// The memory rules and limits of one GPU generation.
struct Machine {
    /// The name given to `--machine`.
    std::string name;
    /// One line for people.
    std::string description;
    /// Banks of shared memory.
    int banks;
    /// Bytes of one bank's word.
    int bank_width;
    /// Bytes of one sector of global memory, the unit that a request moves.
    int sector_bytes;
    /// Most threads of a block.
    int max_block_threads;
    /// Most bytes of shared memory of a block.
    int max_shared_bytes;
    /// Compute capability.
    int compute_major, compute_minor;
    int multiprocessors;
    int l2_bytes;

    /// Lanes that one phase of a shared-memory access of `size` bytes serves together.
    int lanes_per_phase(int size) const;
};

/// All machines, the default first.
const std::vector<Machine>& machines();

/// The machine called `name`, or null.
const Machine* find_machine(std::string_view name);

/// The names of all machines, separated by ", ".
std::string machine_names();

}  // namespace simt
