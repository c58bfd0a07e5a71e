// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Which lanes each wavefront of a shared-memory access serves, for pictures. Counting needs no more than rules.hpp.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "simt/events.hpp"
#include "simt/shared_memory.hpp"

namespace simt {

/// A word of shared memory that a wavefront serves to a lane.
struct ServedWord {
    int lane;
    /// Address divided by the width of a bank. The word lies in bank `word % banks`.
    std::uint64_t word;

    bool operator==(const ServedWord&) const = default;
};

/// The words that one pass through shared memory serves, by lane and then by word. A wavefront that a machine takes in
/// addition to the rule of its banks serves nothing.
using Wavefront = std::vector<ServedWord>;

/// How an access is served.
struct Schedule {
    std::vector<Wavefront> wavefronts;
    /// As in SharedCost.
    int ideal_wavefronts = 0;
};

/// The wavefronts of a shared-memory access: as many as shared_cost() counts, except for asynchronous copies and for the loops of atomic
/// operations, which are served here like a store. The words of one bank are served in the order of the lanes that want them; in which
/// order hardware serves them is not known, and changes no count. Of lanes that store to one address on a machine of compute capability
/// 1.x, only the first is served.
Schedule shared_schedule(const WarpAccess& access, const SharedMemory& memory);

/// A list for each wavefront, of [lane, word].
nlohmann::ordered_json to_json(const std::vector<Wavefront>& wavefronts);

}  // namespace simt
