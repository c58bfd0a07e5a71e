// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp_alignment.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

namespace simt::detail {
namespace {

using Sites = std::vector<std::uint32_t>;

/// Aligns lanes that visit the given access sites, and returns (site, lanes) of each warp-level instruction.
std::vector<std::pair<std::uint32_t, std::uint32_t>> aligned(const std::vector<Sites>& lanes, int open_lane = -1)
{
    std::array<LaneTrace, warp_size> traces;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        for (const std::uint32_t site : lanes[i]) traces[i].entries.push_back({0, site, 4, TraceEntry::Kind::load, false});
        traces[i].filled = lanes[i].size();
    }
    if (open_lane >= 0) traces[static_cast<std::size_t>(open_lane)].open = true;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    align_warp(traces, [&](const AlignedAccess& access) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(access.lanes));
        result.emplace_back(access.access[lane]->site, access.lanes);
    });
    return result;
}

using Result = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(Alignment, LanesAtTheSameSitesGoTogether) { EXPECT_EQ(aligned({{10, 20}, {10, 20}, {10, 20}}), (Result{{10, 7}, {20, 7}})); }

TEST(Alignment, ALaneThatSkipsABranchWaitsBehindIt) { EXPECT_EQ(aligned({{10, 20, 30}, {10, 30}}), (Result{{10, 3}, {20, 1}, {30, 3}})); }

TEST(Alignment, LanesThatLeaveALoopEarlyDropOut) { EXPECT_EQ(aligned({{10, 10, 10, 20}, {10, 20}}), (Result{{10, 3}, {10, 1}, {10, 1}, {20, 3}})); }

/// A lane's trace with marks: negative numbers are marks of blocks that access nothing.
std::vector<std::pair<std::uint32_t, std::uint32_t>> aligned_with_marks(const std::vector<std::vector<int>>& lanes)
{
    std::array<LaneTrace, warp_size> traces;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        for (const int site : lanes[i]) {
            const auto kind = site < 0 ? TraceEntry::Kind::mark : TraceEntry::Kind::load;
            traces[i].entries.push_back({0x100, static_cast<std::uint32_t>(std::abs(site)), 4, kind, false});
        }
        traces[i].filled = lanes[i].size();
    }
    Result result;
    align_warp(traces, [&](const AlignedAccess& access) {
        result.emplace_back(access.access[static_cast<std::size_t>(std::countr_zero(access.lanes))]->site, access.lanes);
    });
    return result;
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
    std::array<LaneTrace, warp_size> traces;
    // Lane 0 calls a function that lies behind the caller (site 90, deeper frame) before it comes to site 20.
    traces[0].entries = {{0x80, 90, 0, TraceEntry::Kind::mark, false}, {0, 95, 4, TraceEntry::Kind::load, false},
                         {0x100, 15, 0, TraceEntry::Kind::mark, false}, {0, 20, 4, TraceEntry::Kind::load, false}};
    traces[1].entries = {{0x100, 15, 0, TraceEntry::Kind::mark, false}, {0, 20, 4, TraceEntry::Kind::load, false}};
    traces[0].filled = 4;
    traces[1].filled = 2;
    Result result;
    align_warp(traces, [&](const AlignedAccess& access) {
        result.emplace_back(access.access[static_cast<std::size_t>(std::countr_zero(access.lanes))]->site, access.lanes);
    });
    EXPECT_EQ(result, (Result{{95, 1}, {20, 3}}));
}

TEST(Alignment, NothingIsGroupedPastTheEndOfAnOpenTrace) { EXPECT_EQ(aligned({{10, 10}, {10, 10, 10}}, 0), (Result{{10, 3}, {10, 3}})); }

}  // namespace
}  // namespace simt::detail
