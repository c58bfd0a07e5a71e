// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The rules by which one warp-level access is counted. They look at nothing but the access and the machine.
#pragma once

#include <cstdint>

#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt {

/// What a shared-memory access costs.
struct SharedCost {
    int wavefronts;
    int ideal_wavefronts;
};

/// The wavefronts of a shared-memory access. The lanes are served in phases; in a phase, lanes that touch the same word
/// share it, and the wavefronts of the phase are the largest number of distinct words in one bank.
SharedCost shared_cost(const WarpAccess& access, const Machine& machine);

/// What a global-memory access moves.
struct GlobalCost {
    int sectors;
    int ideal_sectors;
};

/// The sectors of a global-memory access: the distinct sectors that its lanes touch. Ideal is the number of sectors
/// that its distinct bytes would fill.
GlobalCost global_cost(const WarpAccess& access, const Machine& machine);

}  // namespace simt
