// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The rules by which one warp-level access is counted. The result depends on the access and the machine alone.
/// An access is 1, 2, 4, 8 or 16 bytes a lane and has at least one active lane.
#pragma once

#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt {

/// The wavefronts of a shared-memory access. See shared_service.hpp for the rule and its sources. For an atomic
/// operation that the machine makes by a loop, these are the wavefronts of the swaps.
SharedCost shared_cost(const WarpAccess& access, const Machine& machine);

/// The cost of a loop of loads and swaps, by which a machine does an atomic operation for which it has no instruction.
struct LoopCost {
    int rounds;
    SharedCost loads, swaps;
};

/// True if the machine does a shared-memory access by such a loop.
bool is_loop(const WarpAccess& access, const Machine& machine);

/// The cost of an access for which is_loop() holds, while no other warp changes the same words. See loop_rules.cpp.
LoopCost loop_cost(const WarpAccess& access, const Machine& machine);

/// The wavefronts that an asynchronous copy takes in shared memory. See copy_rules.cpp.
SharedCost copy_cost(const WarpAccess& access, const Machine& machine);

/// The traffic of a global-memory access.
struct GlobalCost {
    /// Units of 32 bytes that its transactions move.
    int sectors;
    /// Units of 32 bytes that its distinct bytes would fill.
    int ideal_sectors;

    bool operator==(const GlobalCost&) const = default;
};

/// The sectors of a global-memory access. See global_rules.cpp for the rule of each machine and its source.
GlobalCost global_cost(const WarpAccess& access, const Machine& machine);

/// The cycles that the L1 of a multiprocessor takes at least for a load or store of global memory. See global_rules.cpp.
int l1_cycles(const WarpAccess& access, const Machine& machine);

/// Lines of 128 bytes in which a store writes only a part of a sector.
int partly_written_lines(const WarpAccess& access);

/// The sectors of an access to local memory, whose addresses are offsets in each thread's own. Word n of lane i lies at
/// word 32 n + i, so that lanes that access one offset access neighboring words.
GlobalCost local_cost(const WarpAccess& access);

/// Requests of an access to local memory: one for each 4 bytes of a lane.
int local_requests(const WarpAccess& access);

/// Distinct words of 4 bytes that an access to constant memory reads; of smaller accesses, distinct addresses.
int constant_words(const WarpAccess& access);

/// Requests of an access to a texture or a surface: one for each group of `request_lanes` lanes with one that is active.
int texture_requests(const WarpAccess& access);

/// The sectors that an asynchronous copy moves from global memory if it bypasses the L1. See copy_rules.cpp.
GlobalCost copy_past_l1_cost(const WarpAccess& access);

}  // namespace simt
