// Reads of shared memory that no thread has written, of accesses that are made by hand.

#include <gtest/gtest.h>

#include "made_launch.hpp"

namespace simt::hazards {
namespace {

TEST(Unwritten, SharedMemoryThatNoThreadWrote) {
    for (const std::uint32_t written : {all_lanes, 0x7FFFFFFFu}) {
        const auto hazards = hazards_of([&](MadeBlock& block) {
            block.store(1, 0, words(0), written);
            block.watch.block_barrier();
            block.load(2, 0, words(0));
        });
        EXPECT_EQ(summary(hazards), written == all_lanes ? Summary{} : Summary{"uninitialized 2"});
        if (!hazards.empty()) {
            EXPECT_EQ(hazards[0].message, Message(MessageCode::unwritten_shared_memory, {{"thread", Extent{31, 0, 0}}}));
        }
    }
}

TEST(Unwritten, AWriteByAnotherThreadThatIsNotOrderedIsARaceInstead) {
    expect_hazards({"race 1 2"}, [](MadeBlock& block) {
        block.load(1, 1, words(0));
        block.store(2, 0, words(0));
    });
}

TEST(Unwritten, AWriteThatIsOrderedAfterTheReadComesTooLate) {
    expect_hazards({"uninitialized 1"}, [](MadeBlock& block) {
        block.load(1, 0, words(0));
        block.store(2, 0, words(0));
    });
    expect_hazards({"uninitialized 1"}, [](MadeBlock& block) {
        block.load(1, 0, words(0));
        block.watch.warp_barrier(0, all_lanes);
        block.store(2, 0, [](unsigned lane) { return (lane ^ 1) * 4; });
    });
    expect_hazards({"uninitialized 1"}, [](MadeBlock& block) {
        block.load(1, 0, words(0));
        block.watch.part_barrier(std::vector{0, 1});
        block.store(2, 1, words(0));
    });
}

TEST(Unwritten, AnAtomicAccessReads) {
    expect_hazards({"uninitialized 1"}, [](MadeBlock& block) { block.update(1, 0, one_word(0)); });
}

TEST(Unwritten, BytesAreToldApart) {
    expect_hazards({"uninitialized 3"}, [](MadeBlock& block) {
        block.store(1, 0, bytes(0), 0b0111, 1);
        block.watch.block_barrier();
        block.load(2, 0, bytes(0), 0b0111, 1);
        block.load(3, 0, bytes(0), 0b1000, 1);
        block.load(4, 0, words(0), lane_0);
    });
}

TEST(Unwritten, WhatAnEarlierBlockWroteDoesNotCount) {
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        if (number == 0) block.store(1, 0, words(0));
        block.watch.block_barrier();
        block.load(2, 0, words(0));
    });
    const auto hazards = launch.hazards();
    EXPECT_EQ(summary(hazards), Summary{"uninitialized 2"});
    EXPECT_EQ(hazards[0].block, (Extent{1, 0, 0}));
}

}  // namespace
}  // namespace simt::hazards
