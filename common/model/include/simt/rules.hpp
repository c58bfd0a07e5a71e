// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The rules by which one warp-level access is counted. They look at nothing but the access and the machine.
/// An access is 1, 2, 4, 8 or 16 bytes a lane and has at least one active lane.
#pragma once

#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt {

/// What a shared-memory access costs.
struct SharedCost {
    /// Passes through the shared-memory pipe.
    int wavefronts;
    /// Passes that the same access takes if no bank holds two of its words.
    int ideal_wavefronts;

    bool operator==(const SharedCost&) const = default;
};

/// The wavefronts of a shared-memory access. See shared_rules.cpp for the rule of each machine and its source.
SharedCost shared_cost(const WarpAccess& access, const Machine& machine);

/// What a global-memory access moves.
struct GlobalCost {
    /// Units of 32 bytes that its transactions move.
    int sectors;
    /// Units of 32 bytes that its distinct bytes would fill.
    int ideal_sectors;

    bool operator==(const GlobalCost&) const = default;
};

/// The sectors of a global-memory access. See global_rules.cpp for the rule of each machine and its source.
GlobalCost global_cost(const WarpAccess& access, const Machine& machine);

/// The sectors of an access to local memory, whose addresses are offsets in each thread's own. Word n of lane i lies at
/// word 32 n + i, so that lanes that access one offset access neighboring words.
GlobalCost local_cost(const WarpAccess& access);

/// Distinct words of 4 bytes that an access to constant memory reads.
int constant_words(const WarpAccess& access);

}  // namespace simt
