// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From the accesses of single threads to warp-level instructions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simt/events.hpp"

namespace simt::detail {

/// The accesses of one lane that are still to be grouped.
struct LaneTrace {
    std::vector<ThreadAccess> accesses;
    std::size_t filled = 0;
    std::size_t grouped = 0;
    /// The lane was stopped because its list is full, not by a barrier or its end: more may follow.
    bool open = false;

    bool drained() const { return grouped == filled; }
};

/// The accesses that some lanes of a warp make with one instruction.
struct AlignedAccess {
    std::uint32_t lanes = 0;
    std::array<const ThreadAccess*, warp_size> access;
};

/// Groups the traces of a warp's lanes into warp-level instructions and hands each to `emit`, in the order in which the
/// warp issues them. Where lanes stand at different access sites, those at the lowest code address go first and the
/// others wait for them, the way reconvergence works when code is laid out in program order.
/// Stops early when an open trace is used up, since the next access of that lane is not known yet.
template <class Emit>
void align_warp(std::span<LaneTrace, warp_size> lanes, Emit&& emit)
{
    AlignedAccess aligned;
    for (;;) {
        std::uint32_t first_site = UINT32_MAX;
        bool any = false;
        for (const LaneTrace& lane : lanes) {
            if (lane.drained()) {
                if (lane.open) return;
                continue;
            }
            any = true;
            first_site = std::min(first_site, lane.accesses[lane.grouped].site);
        }
        if (!any) return;

        aligned.lanes = 0;
        for (int i = 0; i < warp_size; ++i) {
            LaneTrace& lane = lanes[i];
            if (lane.drained() || lane.accesses[lane.grouped].site != first_site) continue;
            aligned.lanes |= 1u << i;
            aligned.access[i] = &lane.accesses[lane.grouped++];
        }
        emit(aligned);
    }
}

}  // namespace simt::detail
