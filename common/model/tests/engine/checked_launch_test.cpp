// The device refuses launches of sizes that no GPU takes, or whose sums and products wrap around. And copies of bytes that know both
// lengths.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/bounds.hpp"
#include "engine/checked_launch.hpp"

namespace {

using simt::CheckedLaunch;
using simt::Extent;
using simt::LaunchRequest;

constexpr unsigned all_bits = 0xFFFFFFFF;

struct Case {
    std::string what;
    LaunchRequest request;
    bool is_taken = false;
};

LaunchRequest with(Extent grid, Extent block, std::size_t dynamic_shared_bytes = 0, Extent cluster = {0, 0, 0}) {
    LaunchRequest request;
    request.grid = grid;
    request.block = block;
    request.cluster = cluster;
    request.dynamic_shared_bytes = dynamic_shared_bytes;
    return request;
}

std::vector<Case> cases() {
    const Extent one{1, 1, 1}, warp{32, 1, 1};
    return {
        {"one warp", with(one, warp), true},
        {"the largest block", with(one, {1024, 1, 1}), true},
        {"the largest grid", with({0x7FFFFFFF, 65535, 65535}, one), true},
        {"no threads", with(one, {0, 1, 1})},
        {"no blocks", with({1, 0, 1}, warp)},
        {"threads whose product wraps around to 32", with(one, {1u << 31, 1u << 31, 4})},
        {"a block that is too deep", with(one, {1, 1, 65})},
        {"a grid that is too high", with({1, 65536, 1}, warp)},
        {"blocks whose product wraps around", with({all_bits, all_bits, all_bits}, warp)},
        {"all shared memory", with(one, warp, 227 * 1024 - 64), true},
        {"a byte more", with(one, warp, 227 * 1024 - 63)},
        {"shared memory whose sum wraps around to nothing", with(one, warp, std::size_t{0} - 64)},
        {"shared memory whose sum wraps around to a little", with(one, warp, std::size_t{0} - 32)},
        {"a cluster", with({8, 2, 1}, warp, 0, {4, 2, 1}), true},
        {"a cluster of one", with({8, 2, 1}, warp, 0, one), true},
        {"a cluster without a dimension", with({8, 2, 1}, warp, 0, {4, 0, 1})},
        {"a cluster that does not divide the grid", with({9, 2, 1}, warp, 0, {4, 1, 1})},
        {"a cluster beyond the grid", with({2, 1, 1}, warp, 0, {4, 1, 1})},
        {"a cluster of more blocks than any", with({64, 1, 1}, warp, 0, {32, 1, 1})},
        {"a cluster whose product wraps around", with({1u << 30, 65535, 65535}, warp, 0, {1u << 30, 65535, 65535})},
    };
}

TEST(CheckedLaunch, TakesWhatAGpuTakes) {
    simt::interpreter::Program program;
    program.static_shared_bytes = 64;
    for (const Case& each : cases())
        EXPECT_EQ(CheckedLaunch::of(each.request, program, simt::machines().front()).has_value(), each.is_taken) << each.what;
}

TEST(CheckedLaunch, KnowsWhatItsUsersAdd) {
    simt::interpreter::Program program;
    program.static_shared_bytes = 64;
    const LaunchRequest request = with({6, 5, 4}, {32, 3, 2}, 100, {2, 5, 1});
    const auto launch = CheckedLaunch::of(request, program, simt::machines().front());
    ASSERT_TRUE(launch);
    EXPECT_EQ(launch->threads(), 192);
    EXPECT_EQ(launch->blocks(), 120u);
    EXPECT_EQ(launch->shared_bytes(), 164u);
    EXPECT_EQ(launch->cluster(), (Extent{2, 5, 1}));
}

TEST(Bounds, CopyNoMoreThanThereIs) {
    std::vector<unsigned char> to(8), from(9, 7);
    EXPECT_THROW(simt::copy_bytes(to, from), std::length_error);
    EXPECT_EQ(to, std::vector<unsigned char>(8));
    simt::copy_bytes(to, simt::part(std::span<const unsigned char>(from), 1, 8));
    simt::copy_bytes(to, {});  // from null, which memcpy must not get
    EXPECT_EQ(to, std::vector<unsigned char>(8, 7));
    EXPECT_THROW(simt::part(std::span(to), 8, 1), std::length_error);
    EXPECT_THROW(simt::part(std::span(to), ~std::uint64_t{0}, 2), std::length_error);
    EXPECT_TRUE(simt::part(std::span(to), 8, 0).empty());
}

}  // namespace
