// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp_alignment.hpp"

#include <gtest/gtest.h>

namespace simt::detail {
namespace {

using Sites = std::vector<std::uint32_t>;

/// Aligns lanes that visit the given access sites, and returns (site, lanes) of each warp-level instruction.
std::vector<std::pair<std::uint32_t, std::uint32_t>> aligned(const std::vector<Sites>& lanes, int open_lane = -1)
{
    std::array<LaneTrace, warp_size> traces;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        for (const std::uint32_t site : lanes[i]) traces[i].accesses.push_back({0, site, 4, Operation::load});
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

TEST(Alignment, NothingIsGroupedPastTheEndOfAnOpenTrace) { EXPECT_EQ(aligned({{10, 10}, {10, 10, 10}}, 0), (Result{{10, 3}, {10, 3}})); }

}  // namespace
}  // namespace simt::detail
