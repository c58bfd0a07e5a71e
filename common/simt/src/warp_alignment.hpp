// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From the traces of single threads to warp-level instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "recorder.hpp"
#include "simt/counts.hpp"

namespace simt::detail {

/// The part of a lane's trace that is still to be grouped.
struct LaneTrace {
    std::vector<TraceEntry> entries;
    std::size_t filled = 0;
    std::size_t grouped = 0;
    /// Position of the lane's current stack frame: the lower, the deeper the lane is in calls.
    std::uint64_t frame = UINT64_MAX;
    /// The lane was stopped because its trace is full, not by a barrier or its end: more may follow.
    bool open = false;

    bool drained() const { return grouped == filled; }

    void restart()
    {
        filled = grouped = 0;
        frame = UINT64_MAX;
        open = false;
    }

    /// Moves what is still to be grouped to the front and makes sure that there is room behind it.
    void compact()
    {
        std::copy(entries.begin() + static_cast<std::ptrdiff_t>(grouped), entries.begin() + static_cast<std::ptrdiff_t>(filled),
                  entries.begin());
        filled -= grouped;
        grouped = 0;
        if (filled == entries.size()) entries.resize(2 * entries.size());
    }
};

/// The accesses that some lanes of a warp make with one instruction.
struct AlignedAccess {
    std::uint32_t lanes = 0;
    std::array<const TraceEntry*, warp_size> access;
};

/// Groups the traces of a warp's lanes into warp-level instructions and hands each to `emit`, in the order in which the
/// warp issues them.
///
/// Lanes at the same place of the code go together. Where they stand at different places, those deepest in calls go
/// first, and among them those at the lowest address; the others wait. As code is laid out in program order, lanes that
/// have branched apart meet again where their paths join (the heuristic of minimal stack pointer and program counter,
/// Collange 2011). The marks at the start of each basic block make loop iterations and branches visible that access no
/// memory.
///
/// Stops early when an open trace is used up, since the next entry of that lane is not known yet.
/// @param frame_mask tells the position of a frame in its stack: address & frame_mask
template <class Emit>
void align_warp(std::span<LaneTrace, warp_size> lanes, std::uint64_t frame_mask, Emit&& emit)
{
    struct Position {
        std::uint64_t frame;
        std::uint32_t site;
        auto operator<=>(const Position&) const = default;
    };
    const auto position = [&](const LaneTrace& lane) {
        const TraceEntry& entry = lane.entries[lane.grouped];
        return Position{entry.kind == TraceEntry::Kind::mark ? entry.address & frame_mask : lane.frame, entry.site};
    };

    AlignedAccess aligned;
    for (;;) {
        std::array<Position, warp_size> at;
        std::uint32_t waiting = 0;
        Position first{UINT64_MAX, UINT32_MAX};
        for (int i = 0; i < warp_size; ++i) {
            const LaneTrace& lane = lanes[static_cast<std::size_t>(i)];
            if (lane.drained()) {
                if (lane.open) return;
                continue;
            }
            at[static_cast<std::size_t>(i)] = position(lane);
            first = std::min(first, at[static_cast<std::size_t>(i)]);
            waiting |= 1u << i;
        }
        if (!waiting) return;

        aligned.lanes = 0;
        bool access = false;
        for (; waiting; waiting &= waiting - 1) {
            const int i = std::countr_zero(waiting);
            if (at[static_cast<std::size_t>(i)] != first) continue;
            LaneTrace& lane = lanes[static_cast<std::size_t>(i)];
            const TraceEntry& entry = lane.entries[lane.grouped++];
            lane.frame = first.frame;
            access = entry.kind != TraceEntry::Kind::mark;
            aligned.lanes |= 1u << i;
            aligned.access[static_cast<std::size_t>(i)] = &entry;
        }
        if (access) emit(aligned);
    }
}

}  // namespace simt::detail
