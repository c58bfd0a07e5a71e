// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From the traces of single threads to warp-level instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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

/// Walks along the traces of a warp's lanes. Writes back to them how far it came when it ends.
class WarpCursor {
public:
    WarpCursor(std::span<LaneTrace, warp_size> lanes, std::uint64_t frame_mask) : lanes_(lanes), frame_mask_(frame_mask)
    {
        for (std::size_t i = 0; i < warp_size; ++i) {
            LaneTrace& lane = lanes_[i];
            at_[i] = lane.entries.data() + lane.grouped;
            end_[i] = lane.entries.data() + lane.filled;
            frame_[i] = lane.frame;
            if (!lane.drained())
                waiting_ |= 1u << i;
            else if (lane.open)
                stopped_ = true;
        }
    }

    ~WarpCursor()
    {
        for (std::size_t i = 0; i < warp_size; ++i) {
            lanes_[i].grouped = static_cast<std::size_t>(at_[i] - lanes_[i].entries.data());
            lanes_[i].frame = frame_[i];
        }
    }

    WarpCursor(const WarpCursor&) = delete;
    WarpCursor& operator=(const WarpCursor&) = delete;

    /// The lanes that go next, with the entry of each; 0 at the end, or where an open trace is used up.
    std::uint32_t next(std::array<const TraceEntry*, warp_size>& entries)
    {
        if (stopped_ || !waiting_) return 0;
        const std::uint32_t together = stand_together() ? waiting_ : lanes_at_first_position();
        for (std::uint32_t rest = together; rest; rest &= rest - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(rest));
            entries[i] = at_[i];
            if (at_[i]->kind == TraceEntry::Kind::mark) frame_[i] = at_[i]->address & frame_mask_;
            if (++at_[i] != end_[i]) continue;
            waiting_ &= ~(1u << i);
            stopped_ |= lanes_[i].open;
        }
        return together;
    }

private:
    struct Position {
        std::uint64_t frame;
        std::uint32_t site;
        auto operator<=>(const Position&) const = default;
    };

    Position position(std::size_t i) const
    {
        return {at_[i]->kind == TraceEntry::Kind::mark ? at_[i]->address & frame_mask_ : frame_[i], at_[i]->site};
    }

    /// The common case: all lanes are at one access site or block.
    bool stand_together() const
    {
        const auto leader = static_cast<std::size_t>(std::countr_zero(waiting_));
        const std::uint32_t site = at_[leader]->site;
        for (std::uint32_t rest = waiting_; rest; rest &= rest - 1)
            if (at_[static_cast<std::size_t>(std::countr_zero(rest))]->site != site) return false;
        const std::uint64_t frame = position(leader).frame;
        for (std::uint32_t rest = waiting_; rest; rest &= rest - 1)
            if (position(static_cast<std::size_t>(std::countr_zero(rest))).frame != frame) return false;
        return true;
    }

    std::uint32_t lanes_at_first_position() const
    {
        Position first{UINT64_MAX, UINT32_MAX};
        for (std::uint32_t rest = waiting_; rest; rest &= rest - 1)
            first = std::min(first, position(static_cast<std::size_t>(std::countr_zero(rest))));
        std::uint32_t together = 0;
        for (std::uint32_t rest = waiting_; rest; rest &= rest - 1)
            if (position(static_cast<std::size_t>(std::countr_zero(rest))) == first) together |= rest & -rest;
        return together;
    }

    std::span<LaneTrace, warp_size> lanes_;
    std::uint64_t frame_mask_;
    std::array<const TraceEntry*, warp_size> at_, end_;
    std::array<std::uint64_t, warp_size> frame_;
    std::uint32_t waiting_ = 0;
    bool stopped_ = false;
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
    WarpCursor cursor(lanes, frame_mask);
    AlignedAccess aligned;
    while (const std::uint32_t together = cursor.next(aligned.access)) {
        aligned.lanes = together;
        if (aligned.access[static_cast<std::size_t>(std::countr_zero(together))]->kind != TraceEntry::Kind::mark) emit(aligned);
    }
}

}  // namespace simt::detail
