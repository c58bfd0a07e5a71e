// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// From the traces of single threads to warp-level instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes.hpp"
#include "recorder.hpp"
#include "simt/counts.hpp"

namespace simt::detail {

/// What the lanes of a warp have done and what of it is still to be grouped.
///
/// Entry k of all lanes makes row k. Lanes that do the same stand side by side, and few lines of the host's cache hold them.
struct WarpTrace {
    struct alignas(64) Row : std::array<TraceEntry, warp_size> {};

    std::vector<Row> rows;
    /// Of each lane, how many entries it has made and how many of these are grouped.
    std::array<std::uint32_t, warp_size> filled{}, grouped{};
    /// Position of each lane's current stack frame: the lower, the deeper the lane is in calls.
    std::array<std::uint64_t, warp_size> frame{};
    /// The lanes that were stopped because there was no room, not by a barrier or their end: more may follow.
    std::uint32_t open = 0;

    bool drained() const
    {
        std::uint32_t left = 0;
        for (std::size_t lane = 0; lane < warp_size; ++lane) left |= filled[lane] ^ grouped[lane];
        return left == 0;
    }
    TraceEntry* entry(std::size_t lane, std::size_t position) { return &rows[0][lane] + position * warp_size; }

    void restart()
    {
        filled.fill(0);
        grouped.fill(0);
        frame.fill(UINT64_MAX);
        open = 0;
    }

    /// Moves what is still to be grouped to the front and makes sure that there is room behind it.
    void compact()
    {
        open = 0;
        if (!drained())
            for (std::size_t lane = 0; lane < warp_size; ++lane)
                for (std::size_t i = grouped[lane]; i < filled[lane]; ++i) *entry(lane, i - grouped[lane]) = *entry(lane, i);
        // The number of rows is a power of two: all counts are below it if their bits together are.
        std::uint32_t most = 0;
        for (std::size_t lane = 0; lane < warp_size; ++lane) most |= filled[lane] -= grouped[lane];
        grouped.fill(0);
        if (most >= rows.size()) grow();
    }

    /// Starts small, since many kernels do little between barriers.
    void grow() { rows.resize(rows.empty() ? 32 : 2 * rows.size()); }
};

/// The accesses that some lanes of a warp make with one instruction.
struct AlignedAccess {
    std::uint32_t lanes = 0;
    std::array<const TraceEntry*, warp_size> access;
};

/// Walks along the traces of a warp's lanes.
class WarpCursor {
public:
    explicit WarpCursor(WarpTrace& trace) : trace_(trace)
    {
        for (std::size_t i = 0; i < warp_size; ++i) {
            at_[i] = trace.entry(i, trace.grouped[i]);
            waiting_ |= static_cast<std::uint32_t>(trace.grouped[i] != trace.filled[i]) << i;
        }
        stopped_ = (trace.open & ~waiting_) != 0;
    }

    WarpCursor(const WarpCursor&) = delete;
    WarpCursor& operator=(const WarpCursor&) = delete;

    /// The lanes that go next, with the entry of each; 0 at the end, or where an open trace is used up.
    std::uint32_t next(std::array<const TraceEntry*, warp_size>& entries)
    {
        if (stopped_ || !waiting_) return 0;
        const std::uint32_t together = stand_together() ? waiting_ : lanes_at_first_position();
        for_each_lane(together, [&](std::size_t i) {
            entries[i] = at_[i];
            if (at_[i]->kind == TraceEntry::Kind::mark) trace_.frame[i] = at_[i]->address;
            at_[i] += warp_size;
            if (++trace_.grouped[i] != trace_.filled[i]) return;
            waiting_ &= ~(1u << i);
            stopped_ |= trace_.open >> i & 1;
        });
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
        return {at_[i]->kind == TraceEntry::Kind::mark ? at_[i]->address : trace_.frame[i], at_[i]->site};
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

    WarpTrace& trace_;
    std::array<const TraceEntry*, warp_size> at_;
    std::uint32_t waiting_ = 0;
    bool stopped_ = false;
};

/// True if the given lanes all do in this row what the first of them does: access something at one place of the code, or
/// begin the same basic block in the same stack frame.
inline bool is_in_step(const WarpTrace::Row& row, std::uint32_t lanes)
{
    using Words [[gnu::vector_size(16)]] = std::uint64_t;
    static_assert(std::endian::native == std::endian::little && offsetof(TraceEntry, address) == 0 && offsetof(TraceEntry, site) == 8);
    const TraceEntry& leader = row[static_cast<std::size_t>(std::countr_zero(lanes))];
    const Words first = std::bit_cast<Words>(leader);
    Words differs{};
    for_lanes(lanes, [&](std::size_t lane) { differs |= std::bit_cast<Words>(row[lane]) ^ first; });
    // Of accesses only the place counts, of marks all.
    const bool mark = leader.kind == TraceEntry::Kind::mark;
    return ((mark ? differs[0] : 0) | static_cast<std::uint32_t>(differs[1])) == 0;
}

/// Groups the part of the traces in which all lanes that have any do the same, which is most of most kernels. Does with
/// it what a WarpCursor would do, a few instructions for each entry.
template <class Emit>
void align_in_step(WarpTrace& trace, Emit&& emit)
{
    std::uint32_t together = UINT32_MAX, steps = trace.filled[0], differs = 0;
    for (std::size_t i = 0; i < warp_size; ++i) differs |= trace.filled[i] ^ steps;
    if (differs != 0) {
        together = 0;
        steps = UINT32_MAX;
        for (std::size_t i = 0; i < warp_size; ++i) {
            if (trace.filled[i] == 0) continue;
            together |= 1u << i;
            steps = std::min(steps, trace.filled[i]);
        }
        if (trace.open & ~together) return;
    }
    if (steps == 0) return;

    AlignedAccess aligned;
    aligned.lanes = together;
    std::uint64_t frame = trace.frame[static_cast<std::size_t>(std::countr_zero(together))];
    std::uint64_t other_frames = 0;
    for_lanes(together, [&](std::size_t i) { other_frames |= trace.frame[i] ^ frame; });
    bool one_frame = other_frames == 0;
    std::uint32_t step = 0;
    for (; step < steps; ++step) {
        const WarpTrace::Row& row = trace.rows[step];
        const TraceEntry& first = row[static_cast<std::size_t>(std::countr_zero(together))];
        const bool mark = first.kind == TraceEntry::Kind::mark;
        if (!(mark || one_frame) || !is_in_step(row, together)) break;
        if (mark) {
            frame = first.address;
            one_frame = true;
            continue;
        }
        for (std::size_t i = 0; i < warp_size; ++i) aligned.access[i] = &row[i];
        emit(aligned);
    }
    if (step == 0) return;
    for_lanes(together, [&](std::size_t i) { trace.grouped[i] = step; });
    if (one_frame) for_lanes(together, [&](std::size_t i) { trace.frame[i] = frame; });
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
void align_warp(WarpTrace& trace, Emit&& emit)
{
    align_in_step(trace, emit);
    if (trace.drained()) return;
    WarpCursor cursor(trace);
    AlignedAccess aligned;
    while (const std::uint32_t together = cursor.next(aligned.access)) {
        aligned.lanes = together;
        if (aligned.access[static_cast<std::size_t>(std::countr_zero(together))]->kind != TraceEntry::Kind::mark) emit(aligned);
    }
}

}  // namespace simt::detail
