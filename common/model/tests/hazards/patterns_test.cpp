// Accesses of one source line are told apart by the pattern of their lanes.

#include <gtest/gtest.h>

#include "made_launch.hpp"

namespace simt::hazards {
namespace {

/// Stands for words at addresses that follow from data.
constexpr std::uint64_t scattered = 0;

/// The counts of a block whose instructions all stand in one line. Instruction n stores words that are `strides[n]` bytes apart.
LaunchCounts counts_of_line(const std::vector<std::uint64_t>& strides) {
    Surroundings surroundings;
    surroundings.machine = &machines().front();
    surroundings.place_of = [](std::uint32_t) { return SourcePlace{"kernel.cu", 1, {}}; };
    surroundings.shared_bytes = 1 << 14;
    surroundings.instructions = static_cast<std::uint32_t>(strides.size());
    LaunchInfo info;
    info.grid = {1, 1, 1};
    info.block = {32, 1, 1};
    LaunchWatch launch(info, "kernel", surroundings, {});
    MadeBlock block(launch);
    block.watch.begin_block({0, 0, 0}, 0);
    for (std::uint32_t n = 0; n < strides.size(); ++n)
        block.store(n, 0,
                    [&](unsigned lane) { return strides[n] == scattered ? lane * lane * (n + 3) % 97 * 4 : n * 128 + lane * strides[n]; });
    block.watch.end_block();
    return launch.take_counts();
}

TEST(PatternsOfALine, AreRowsOfTheirOwn) {
    // The first two have the same pattern at other places, as in an unrolled loop.
    const LaunchCounts counts = counts_of_line({4, 4, 128});
    ASSERT_EQ(counts.lines.size(), 2u);
    EXPECT_EQ(counts.lines[0].shared.wavefronts, 2u);
    EXPECT_EQ(counts.lines[1].shared.wavefronts, 32u);
    LaunchCounts sum = counts;
    sum += counts;
    ASSERT_EQ(sum.lines.size(), 2u);
    EXPECT_EQ(sum.lines[1].shared.wavefronts, 64u);
}

TEST(PatternsOfALine, AreOneRowIfThereAreManyOfThem) {
    const LaunchCounts counts = counts_of_line({4, 8, 12, 16, 20});
    ASSERT_EQ(counts.lines.size(), 1u);
    EXPECT_EQ(counts.lines[0].shared.instructions, 5u);
}

TEST(PatternsOfALine, ThatFollowFromDataAreOneRowIfThereAreManyOfThem) {
    // As in values[j] * x[columns[j]] of an unrolled loop.
    const LaunchCounts counts = counts_of_line({128, scattered, 128, scattered, 128, scattered, 128, scattered});
    ASSERT_EQ(counts.lines.size(), 2u);
    EXPECT_EQ(counts.lines[0].shared.instructions + counts.lines[1].shared.instructions, 8u);
    EXPECT_EQ(counts.lines[0].shared.instructions, 4u);
}

}  // namespace
}  // namespace simt::hazards
