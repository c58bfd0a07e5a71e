// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/rules.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace simt {
namespace {

const Machine& sm_90() { return *find_machine("sm_90"); }

WarpAccess access_of(Space space, int size, const std::function<std::uint64_t(int)>& address, std::uint32_t active = ~0u)
{
    WarpAccess access{};
    access.space = space;
    access.size = size;
    access.active = active;
    for (int lane = 0; lane < warp_size; ++lane) access.address[static_cast<std::size_t>(lane)] = address(lane);
    return access;
}

SharedCost shared(int size, const std::function<std::uint64_t(int)>& address, std::uint32_t active = ~0u)
{
    return shared_cost(access_of(Space::shared, size, address, active), sm_90());
}

GlobalCost global(int size, const std::function<std::uint64_t(int)>& address, std::uint32_t active = ~0u)
{
    return global_cost(access_of(Space::global, size, address, active), sm_90());
}

TEST(SharedRule, EachStrideConflictsByItsCommonDivisorWithTheBanks)
{
    for (unsigned stride = 1; stride <= 33; ++stride) {
        const int expected = static_cast<int>(std::gcd(stride, 32u));
        const SharedCost cost = shared(4, [=](int lane) { return 4u * stride * static_cast<unsigned>(lane); });
        EXPECT_EQ(cost.wavefronts, expected) << "stride " << stride;
        EXPECT_EQ(cost.ideal_wavefronts, 1);
    }
}

TEST(SharedRule, LanesThatShareAWordDoNotConflict)
{
    EXPECT_EQ(shared(4, [](int) { return 128u; }).wavefronts, 1);
    EXPECT_EQ(shared(4, [](int lane) { return 4u * static_cast<unsigned>(lane / 2); }).wavefronts, 1);
    EXPECT_EQ(shared(1, [](int lane) { return static_cast<unsigned>(lane); }).wavefronts, 1);
}

TEST(SharedRule, TwoWordsOfOneBankTakeTwoWavefrontsHoweverManyLanesReadThem)
{
    EXPECT_EQ(shared(4, [](int lane) { return lane % 2 ? 0u : 128u; }).wavefronts, 2);
}

TEST(SharedRule, OnlyActiveLanesCount)
{
    EXPECT_EQ(shared(4, [](int lane) { return 128u * static_cast<unsigned>(lane); }, 0b1).wavefronts, 1);
    EXPECT_EQ(shared(4, [](int lane) { return 128u * static_cast<unsigned>(lane); }, 0b10101).wavefronts, 3);
    EXPECT_EQ(shared(16, [](int lane) { return 16u * static_cast<unsigned>(lane); }, 0xFF).wavefronts, 1);
}

TEST(SharedRule, WideAccessesTakeOneWavefrontAPhase)
{
    EXPECT_EQ(shared(8, [](int lane) { return 8u * static_cast<unsigned>(lane); }).wavefronts, 2);
    EXPECT_EQ(shared(16, [](int lane) { return 16u * static_cast<unsigned>(lane); }).wavefronts, 4);
    EXPECT_EQ(shared(16, [](int lane) { return 16u * static_cast<unsigned>(lane); }).ideal_wavefronts, 4);
}

TEST(GlobalRule, ContiguousAccessesMoveWhatTheyAskFor)
{
    EXPECT_EQ(global(4, [](int lane) { return 4u * static_cast<unsigned>(lane); }).sectors, 4);
    EXPECT_EQ(global(8, [](int lane) { return 8u * static_cast<unsigned>(lane); }).sectors, 8);
    EXPECT_EQ(global(16, [](int lane) { return 16u * static_cast<unsigned>(lane); }).sectors, 16);
}

TEST(GlobalRule, AColumnMovesASectorALane)
{
    const GlobalCost cost = global(4, [](int lane) { return 8192u * static_cast<unsigned>(lane); });
    EXPECT_EQ(cost.sectors, 32);
    EXPECT_EQ(cost.ideal_sectors, 4);
}

TEST(GlobalRule, AMisalignedRunTouchesOneSectorMore)
{
    EXPECT_EQ(global(4, [](int lane) { return 4u + 4u * static_cast<unsigned>(lane); }).sectors, 5);
}

TEST(GlobalRule, TheSameWordIsOneSector)
{
    const GlobalCost cost = global(4, [](int) { return 64u; });
    EXPECT_EQ(cost.sectors, 1);
    EXPECT_EQ(cost.ideal_sectors, 1);
}

TEST(GlobalRule, AddressesInAnyOrderTouchTheSameSectors)
{
    EXPECT_EQ(global(4, [](int lane) { return 4u * static_cast<unsigned>(31 - lane); }).sectors, 4);
    EXPECT_EQ(global(4, [](int lane) { return 4u * static_cast<unsigned>(lane * 7 % 32); }).sectors, 4);
}

}  // namespace
}  // namespace simt
