// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp_alignment.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

namespace simt::detail {
namespace {

using Sites = std::vector<std::uint32_t>;

void append(WarpTrace& trace, std::size_t lane, const TraceEntry& entry)
{
    if (trace.filled[lane] == trace.rows.size()) trace.grow();
    *trace.entry(lane, trace.filled[lane]++) = entry;
}

/// Returns (site, lanes) of each warp-level instruction.
std::vector<std::pair<std::uint32_t, std::uint32_t>> instructions(WarpTrace& trace)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    align_warp(trace, [&](const AlignedAccess& access) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(access.lanes));
        result.emplace_back(access.access[lane]->site, access.lanes);
    });
    return result;
}

/// Aligns lanes that visit the given access sites.
std::vector<std::pair<std::uint32_t, std::uint32_t>> aligned(const std::vector<Sites>& lanes, int open_lane = -1)
{
    WarpTrace trace;
    trace.grow();
    for (std::size_t i = 0; i < lanes.size(); ++i)
        for (const std::uint32_t site : lanes[i]) append(trace, i, {0, site, 4, TraceEntry::Kind::load, false});
    if (open_lane >= 0) trace.open = 1u << open_lane;
    return instructions(trace);
}

using Result = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(Alignment, LanesAtTheSameSitesGoTogether) { EXPECT_EQ(aligned({{10, 20}, {10, 20}, {10, 20}}), (Result{{10, 7}, {20, 7}})); }

TEST(Alignment, ALaneThatSkipsABranchWaitsBehindIt) { EXPECT_EQ(aligned({{10, 20, 30}, {10, 30}}), (Result{{10, 3}, {20, 1}, {30, 3}})); }

TEST(Alignment, LanesThatLeaveALoopEarlyDropOut) { EXPECT_EQ(aligned({{10, 10, 10, 20}, {10, 20}}), (Result{{10, 3}, {10, 1}, {10, 1}, {20, 3}})); }

/// A lane's trace with marks: negative numbers are marks of blocks that access nothing.
std::vector<std::pair<std::uint32_t, std::uint32_t>> aligned_with_marks(const std::vector<std::vector<int>>& lanes)
{
    WarpTrace trace;
    trace.grow();
    for (std::size_t i = 0; i < lanes.size(); ++i)
        for (const int site : lanes[i]) {
            const auto kind = site < 0 ? TraceEntry::Kind::mark : TraceEntry::Kind::load;
            append(trace, i, {0x100, static_cast<std::uint32_t>(std::abs(site)), 4, kind, false});
        }
    return instructions(trace);
}

TEST(Alignment, MarksKeepIterationsApartInWhichALaneAccessesNothing)
{
    // A loop of head 10, access 20 under a condition, latch 30. Lane 0 accesses in the first iteration, lane 1 in the second.
    EXPECT_EQ(aligned_with_marks({{-10, 20, -30, -10, -30}, {-10, -30, -10, 20, -30}}), (Result{{20, 1}, {20, 2}}));
    // Without marks the two would look like one access.
    EXPECT_EQ(aligned({{20}, {20}}), (Result{{20, 3}}));
}

TEST(Alignment, InnerLoopsOfDifferentLengthMeetAgainInTheOuterLoop)
{
    // Outer head 10, inner access 20, outer latch 30. Lane 0 runs the inner loop 1 and 2 times, lane 1 runs it 3 and 2 times.
    EXPECT_EQ(aligned_with_marks({{-10, 20, -30, -10, 20, 20, -30}, {-10, 20, 20, 20, -30, -10, 20, 20, -30}}),
              (Result{{20, 3}, {20, 2}, {20, 2}, {20, 3}, {20, 3}}));
}

TEST(Alignment, LanesInAFunctionGoBeforeThoseThatWaitForItsEnd)
{
    WarpTrace trace;
    // Lane 0 calls a function that lies behind the caller (site 90, deeper frame) before it comes to site 20.
    append(trace, 0, {0x80, 90, 0, TraceEntry::Kind::mark, false});
    append(trace, 0, {0, 95, 4, TraceEntry::Kind::load, false});
    for (const std::size_t lane : {0, 1}) {
        append(trace, lane, {0x100, 15, 0, TraceEntry::Kind::mark, false});
        append(trace, lane, {0, 20, 4, TraceEntry::Kind::load, false});
    }
    EXPECT_EQ(instructions(trace), (Result{{95, 1}, {20, 3}}));
}

TEST(Alignment, AFullWarpOfWhichOneLaneStandsElsewhereIsNotInStep)
{
    for (const std::size_t other : {0, 13, 31}) {
        WarpTrace trace;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            const TraceEntry::Kind load = TraceEntry::Kind::load, mark = TraceEntry::Kind::mark;
            append(trace, lane, {0x100, 5, 0, mark, false});
            append(trace, lane, {lane, 10, 4, load, lane == other});
            append(trace, lane, {lane == other ? 0x80u : 0x100u, 15, 0, mark, false});
            append(trace, lane, {lane, 20, 4, load, false});
            append(trace, lane, {0x100, 25, 0, mark, false});
            append(trace, lane, {lane, lane == other ? 30u : 31u, 4, load, false});
        }
        const std::uint32_t one = 1u << other, rest = ~one;
        EXPECT_EQ(instructions(trace), (Result{{10, UINT32_MAX}, {20, one}, {20, rest}, {30, one}, {31, rest}}));
    }
}

TEST(Alignment, WhatStandsBehindAnOpenTraceIsMovedToTheFront)
{
    WarpTrace trace;
    for (const std::uint32_t site : {10, 20}) append(trace, 0, {0, site, 4, TraceEntry::Kind::load, false});
    append(trace, 1, {0, 10, 4, TraceEntry::Kind::load, false});
    trace.open = 2;
    EXPECT_EQ(instructions(trace), (Result{{10, 3}}));
    trace.compact();
    append(trace, 1, {0, 20, 4, TraceEntry::Kind::load, false});
    EXPECT_EQ(instructions(trace), (Result{{20, 3}}));
}

TEST(Alignment, NothingIsGroupedPastTheEndOfAnOpenTrace) { EXPECT_EQ(aligned({{10, 10}, {10, 10, 10}}, 0), (Result{{10, 3}, {10, 3}})); }

}  // namespace
}  // namespace simt::detail
