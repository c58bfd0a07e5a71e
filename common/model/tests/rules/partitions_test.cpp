#include "rules/partitions.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "made_access.hpp"

namespace simt::rules {
namespace {

WarpAccess contiguous(Operation operation, std::uint64_t start) {
    return made_access(Space::global, operation, 4, [=](unsigned lane) { return start + 4 * lane; });
}

/// Runs `blocks` blocks of 256 threads and 16 KiB of shared memory on gt200: 30 are active at a time.
PartitionCounts run(unsigned blocks, const std::function<void(Listener&, unsigned)>& block) {
    Partitions partitions(*find_machine("gt200"), [] { return std::size_t{16} << 10; });
    partitions.launch_begins({{blocks, 1, 1}, {256, 1, 1}, 0});
    for (unsigned i = 0; i < blocks; ++i) {
        partitions.block_begins({i, 0, 0});
        block(partitions, i);
        partitions.block_ends();
    }
    partitions.launch_ends();
    return partitions.take();
}

TEST(Partitions, ConcurrentBlocksInOnePartitionAreCamped) {
    const PartitionCounts counts =
        run(60, [](Listener& listener, unsigned i) { listener.warp_access(contiguous(Operation::store, i * 2048)); });
    EXPECT_EQ(counts.concurrent_blocks, 30);
    EXPECT_EQ(counts.store.steps, (std::vector<std::uint64_t>{2, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(counts.store.mean(), 1);
    EXPECT_EQ(counts.store.first_step, (std::vector<std::uint64_t>{30, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(counts.load.mean(), 0);
    EXPECT_EQ(counts.load.first_step, std::vector<std::uint64_t>(8));
}

TEST(Partitions, ConcurrentBlocksInNeighboringPartitionsUseAllOfThem) {
    const PartitionCounts counts =
        run(60, [](Listener& listener, unsigned i) { listener.warp_access(contiguous(Operation::load, i * 256)); });
    EXPECT_EQ(counts.load.steps, (std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0, 0, 2}));
    EXPECT_EQ(counts.load.mean(), 8);
    EXPECT_EQ(counts.load.first_step, (std::vector<std::uint64_t>{4, 4, 4, 4, 4, 4, 3, 3}));
}

TEST(Partitions, AFewBlocksThatStrayDoNotMakeAPartitionBusy) {
    // Seven of the 30 blocks access a partition each, which is less than half of 30 / 8.
    const PartitionCounts counts =
        run(30, [](Listener& listener, unsigned i) { listener.warp_access(contiguous(Operation::load, (i < 8 ? i : 0) * 256)); });
    EXPECT_EQ(counts.load.steps.front(), 1u);
    EXPECT_EQ(counts.load.first_step, (std::vector<std::uint64_t>{23, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Partitions, EachAccessOfABlockIsAStepOfItsOwn) {
    // All blocks go to one partition at a time, and to each in turn.
    const PartitionCounts counts = run(30, [](Listener& listener, unsigned) {
        for (unsigned k = 0; k < 8; ++k) listener.warp_access(contiguous(Operation::load, k * 256));
    });
    EXPECT_EQ(counts.load.steps.front(), 8u);
    EXPECT_EQ(counts.load.mean(), 1);
}

TEST(Partitions, BlocksThatAreNotActiveTogetherAreNotMixed) {
    const PartitionCounts counts =
        run(90, [](Listener& listener, unsigned i) { listener.warp_access(contiguous(Operation::store, i / 30 * 256)); });
    EXPECT_EQ(counts.store.steps.front(), 3u);
}

TEST(Partitions, TheLastBlocksMakeAGroupToo) {
    const PartitionCounts counts = run(31, [](Listener& listener, unsigned i) {
        listener.warp_access(contiguous(Operation::store, i * 256));
        listener.warp_access(made_access(Space::shared, Operation::store, 4, [](unsigned lane) { return 4 * lane; }));
    });
    EXPECT_EQ(counts.store.steps, (std::vector<std::uint64_t>{1, 0, 0, 0, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace simt::rules
