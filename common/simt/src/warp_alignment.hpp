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
struct alignas(64) LaneTrace {
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
        if (drained()) {
            filled = grouped = 0;
            return;
        }
        std::copy(entries.begin() + static_cast<std::ptrdiff_t>(grouped), entries.begin() + static_cast<std::ptrdiff_t>(filled),
                  entries.begin());
        filled -= grouped;
        grouped = 0;
        if (filled == entries.size()) grow();
    }

    /// Starts small, since many kernels do little between barriers and the traces of all lanes are to fit in the host's
    /// cache. The size stays an odd number of its lines, so that traces do not compete for the same ones.
    void grow() { entries.resize(entries.empty() ? 28 : 2 * entries.size() + 12); }
};

/// The accesses that some lanes of a warp make with one instruction.
struct AlignedAccess {
    std::uint32_t lanes = 0;
    std::array<const TraceEntry*, warp_size> access;
};

/// Walks along the traces of a warp's lanes. Writes back to them how far it came when it ends.
class WarpCursor {
public:
    explicit WarpCursor(std::span<LaneTrace, warp_size> lanes) : lanes_(lanes)
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
            if (at_[i]->kind == TraceEntry::Kind::mark) frame_[i] = at_[i]->address;
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
        return {at_[i]->kind == TraceEntry::Kind::mark ? at_[i]->address : frame_[i], at_[i]->site};
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
    std::array<const TraceEntry*, warp_size> at_, end_;
    std::array<std::uint64_t, warp_size> frame_;
    std::uint32_t waiting_ = 0;
    bool stopped_ = false;
};

/// Groups the part of the traces in which all lanes that have any do the same, which is most of most kernels. Does with
/// it what a WarpCursor would do, a few instructions for each entry.
template <class Emit>
void align_in_step(std::span<LaneTrace, warp_size> lanes, Emit&& emit)
{
    std::uint32_t together = 0;
    std::size_t steps = SIZE_MAX, leader = 0;
    for (std::size_t i = warp_size; i-- > 0;) {
        const LaneTrace& lane = lanes[i];
        if (lane.drained()) {
            if (lane.open) return;
            continue;
        }
        together |= 1u << i;
        leader = i;
        steps = std::min(steps, lane.filled - lane.grouped);
    }
    if (together == 0) return;

    AlignedAccess aligned;
    aligned.lanes = together;
    std::uint64_t frame = lanes[leader].frame;
    bool one_frame = true;
    for (std::size_t i = 0; i < warp_size; ++i) {
        // The places of lanes that have no trace are filled, so that all can be compared without asking which.
        const LaneTrace& lane = lanes[together >> i & 1 ? i : leader];
        aligned.access[i] = lane.entries.data() + lane.grouped;
        one_frame &= lane.frame == frame;
    }
    std::size_t step = 0;
    for (; step < steps; ++step) {
        const TraceEntry first = *aligned.access[leader];
        const bool mark = first.kind == TraceEntry::Kind::mark;
        std::uint64_t differs = 0;
        for (const TraceEntry* entry : aligned.access) differs |= entry->site ^ first.site;
        if (mark)
            for (const TraceEntry* entry : aligned.access) differs |= entry->address ^ first.address;
        if (differs != 0 || !(mark || one_frame)) break;
        if (mark) {
            frame = first.address;
            one_frame = true;
        } else {
            emit(aligned);
        }
        for (const TraceEntry*& entry : aligned.access) ++entry;
    }
    for (; step > 0 && together; together &= together - 1) {
        LaneTrace& lane = lanes[static_cast<std::size_t>(std::countr_zero(together))];
        lane.grouped += step;
        if (one_frame) lane.frame = frame;
    }
}

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
template <class Emit>
void align_warp(std::span<LaneTrace, warp_size> lanes, Emit&& emit)
{
    align_in_step(lanes, emit);
    if (std::ranges::all_of(lanes, &LaneTrace::drained)) return;
    WarpCursor cursor(lanes);
    AlignedAccess aligned;
    while (const std::uint32_t together = cursor.next(aligned.access)) {
        aligned.lanes = together;
        if (aligned.access[static_cast<std::size_t>(std::countr_zero(together))]->kind != TraceEntry::Kind::mark) emit(aligned);
    }
}

}  // namespace simt::detail
