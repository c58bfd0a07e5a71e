// Races in shared memory, of accesses that are made by hand.

#include <gtest/gtest.h>

#include "made_launch.hpp"

namespace simt::hazards {
namespace {

TEST(SharedRace, AMissingBarrierIsFoundAndAPresentOneIsNot) {
    for (const bool barrier : {false, true}) {
        const auto hazards = hazards_of([&](MadeBlock& block) {
            for (int warp = 0; warp < 2; ++warp) block.store(1, warp, words(static_cast<unsigned>(warp) * 32));
            if (barrier) block.watch.block_barrier();
            for (int warp = 0; warp < 2; ++warp) block.load(2, warp, words(static_cast<unsigned>(1 - warp) * 32));
        });
        EXPECT_EQ(summary(hazards), barrier ? Summary{} : Summary{"race 1 2"});
        if (hazards.empty()) continue;
        EXPECT_EQ(hazards[0].message, Message(MessageCode::race_in_shared_memory, {{"first_thread", Extent{32, 0, 0}},
                                                                                   {"first", Operation::store},
                                                                                   {"second_thread", Extent{0, 0, 0}},
                                                                                   {"second", Operation::load}}));
        EXPECT_EQ(hazards[0].kernel, "kernel");
        EXPECT_EQ(hazards[0].threads, (std::vector<Extent>{{32, 0, 0}, {0, 0, 0}}));
    }
}

TEST(SharedRace, AWriteRacesWithAReadBeforeIt) {
    for (const int reader : {0, 1})
        expect_hazards(reader == 0 ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            block.fill();
            block.load(1, reader, words(0));
            block.store(2, 0, words(0));
        });
}

TEST(SharedRace, OfSeveralReadersOneIsAnother) {
    // Whichever warp writes, one that has read is another.
    for (const int writer : {0, 1, 2})
        EXPECT_EQ(summary(hazards_of([&](MadeBlock& block) {
                      block.fill();
                      for (int reader = 0; reader < 2; ++reader) block.load(1, reader, words(0));
                      block.store(2, writer, words(0));
                  })),
                  Summary{"race 1 2"})
            << writer;
}

TEST(SharedRace, AReaderThatComesTwiceIsOne) {
    expect_hazards({}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 0, words(0));
        block.load(2, 0, words(0));
        block.store(3, 0, words(0));
    });
    // The second access of the warp is by another lane.
    expect_hazards({"race 2 3"}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 0, words(0));
        block.load(2, 0, words(1), 0x7FFFFFFF);
        block.store(3, 0, words(0));
    });
}

TEST(SharedRace, LanesThatReadOneWordTogetherAreAllReaders) {
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 0, one_word(0));
        block.store(2, 0, one_word(0), lane_0);
    });
}

TEST(SharedRace, EqualValuesAreHarmlessAndDifferentOnesAreNot) {
    for (const bool changes : {false, true})
        expect_hazards(changes ? Summary{"race 1 2"} : Summary{}, [&](MadeBlock& block) {
            block.store(1, 0, one_word(0), lane_0);
            block.store(2, 1, one_word(0), lane_0, 4, changes ? all_lanes : 0);
        });
    expect_hazards({"race 1 1"}, [&](MadeBlock& block) { block.store(1, 0, one_word(0), 3); });
    expect_hazards({}, [&](MadeBlock& block) { block.store(1, 0, one_word(0), 3, 4, lane_0); });
}

TEST(SharedRace, AStoreOfTheSameValueRacesWithARead) {
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 0, words(0));
        block.store(2, 1, words(0), all_lanes, 4, 0);
    });
}

TEST(SharedRace, TwoAtomicsDoNotRaceAndOthersDo) {
    expect_hazards({}, [&](MadeBlock& block) {
        block.fill();
        block.update(1, 0, one_word(0));
        block.update(2, 1, one_word(0));
    });
    const auto hazards = hazards_of([&](MadeBlock& block) {
        block.fill();
        block.update(1, 0, one_word(0), lane_0);
        block.load(2, 1, one_word(0), lane_0);
        block.update(3, 2, one_word(0), lane_0);
        block.store(4, 3, one_word(0), lane_0);
    });
    EXPECT_EQ(summary(hazards), (Summary{"race 1 2", "race 2 3", "race 2 4", "race 3 4"}));
    EXPECT_EQ(hazards[0].message, Message(MessageCode::race_in_shared_memory, {{"first_thread", Extent{0, 0, 0}},
                                                                               {"first", Operation::atomic},
                                                                               {"second_thread", Extent{32, 0, 0}},
                                                                               {"second", Operation::load}}));
}

TEST(SharedRace, LanesOfAWarpAreOrderedByWhatNamesThem) {
    struct Case {
        std::uint32_t synchronized;
        bool races;
    };
    for (const auto& [synchronized, races] : {Case{0, true}, Case{all_lanes, false}, Case{even_lanes, true}, Case{0xFF, true}})
        EXPECT_EQ(summary(hazards_of([&](MadeBlock& block) {
                      block.store(1, 0, words(0));
                      if (synchronized) block.watch.warp_barrier(0, synchronized);
                      block.load(2, 0, [](unsigned lane) { return (lane ^ 1) * 4; });
                  })),
                  races ? Summary{"race 1 2"} : Summary{})
            << synchronized;
    // Lanes 0 to 7 alone access, and they are ordered.
    expect_hazards({}, [&](MadeBlock& block) {
        block.store(1, 0, words(0), 0xFF);
        block.watch.warp_barrier(0, 0xFF);
        block.load(2, 0, [](unsigned lane) { return (lane ^ 1) * 4; }, 0xFF);
    });
    // The store of lane 0 is ordered before the load of lane 2 through lane 1.
    for (const bool in_order : {true, false})
        expect_hazards(in_order ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            block.store(1, 0, one_word(0), lane_0);
            block.watch.warp_barrier(0, in_order ? 0b011 : 0b110);
            block.watch.warp_barrier(0, in_order ? 0b110 : 0b011);
            block.load(2, 0, one_word(0), 0b100);
        });
}

TEST(SharedRace, AWarpBarrierOrdersAReadBeforeAWrite) {
    for (const bool barrier : {true, false})
        expect_hazards(barrier ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            block.fill();
            block.load(1, 0, words(0));
            if (barrier) block.watch.warp_barrier(0, all_lanes);
            block.store(2, 0, words(1));
        });
    // Readers before the barrier are forgotten when the warp reads again; those after it are not.
    expect_hazards({}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 0, one_word(0), lane_0);
        block.watch.warp_barrier(0, all_lanes);
        block.load(2, 0, one_word(0), lane_1);
        block.store(3, 0, one_word(0), lane_1);
        block.store(4, 0, one_word(1), lane_1);
    });
}

TEST(SharedRace, WarpBarriersDoNotOrderOtherWarps) {
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.store(1, 0, words(0));
        for (int warp = 0; warp < 2; ++warp) block.watch.warp_barrier(warp, all_lanes);
        block.load(2, 1, words(0));
    });
}

TEST(SharedRace, ThreadsMayWriteDifferentBytesOfAWord) {
    expect_hazards({}, [&](MadeBlock& block) {
        block.store(1, 0, bytes(0), all_lanes, 1);
        block.load(2, 0, bytes(0), all_lanes, 1);
    });
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.store(1, 0, bytes(0), all_lanes, 1);
        block.load(2, 0, bytes(1), 0x7FFFFFFF, 1);
    });
    expect_hazards({"race 1 1"}, [&](MadeBlock& block) { block.store(1, 0, [](unsigned lane) { return lane / 2; }, all_lanes, 1); });
    // Halves of a word, and the whole of it.
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.store(1, 0, [](unsigned lane) { return lane * 2; }, all_lanes, 2);
        block.load(2, 1, words(0), 0xFFFF);
    });
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.fill();
        block.load(1, 1, words(0));
        block.store(2, 0, bytes(0), all_lanes, 1);
    });
}

TEST(SharedRace, WideAccessesTouchAllOfTheirWords) {
    for (const int size : {8, 16})
        expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
            block.fill();
            block.store(1, 0, [](unsigned) { return 0; }, lane_0, size);
            block.load(2, 1, one_word(static_cast<unsigned>(size) / 4 - 1), lane_0);
            block.load(3, 1, one_word(static_cast<unsigned>(size) / 4), lane_0);
        });
}

TEST(PartBarrier, OrdersItsWarpsAlone) {
    for (const int reader : {1, 2})
        expect_hazards(reader == 1 ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            block.store(1, 0, words(0));
            block.watch.part_barrier(std::vector{0, 1});
            block.load(2, reader, words(0));
        });
    // It orders the lanes of a warp, too.
    expect_hazards({}, [&](MadeBlock& block) {
        block.store(1, 0, words(0));
        block.watch.part_barrier(std::vector{0, 1});
        block.load(2, 0, words(1), lane_0);
    });
    // Accesses after the barrier are not ordered.
    expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
        block.watch.part_barrier(std::vector{0, 1});
        block.store(1, 0, words(0));
        block.load(2, 1, words(0));
    });
}

TEST(PartBarrier, OrdersThroughAThirdWarp) {
    for (const bool in_order : {true, false})
        expect_hazards(in_order ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            block.store(1, 0, words(0));
            block.watch.part_barrier(in_order ? std::vector{0, 1} : std::vector{1, 2});
            block.watch.part_barrier(in_order ? std::vector{1, 2} : std::vector{0, 1});
            block.load(2, 2, words(0));
        });
}

TEST(PartBarrier, OfManyReadersThoseThatAreNotOrderedRace) {
    // Warps 0 to 3 read; the one that is left out of the barrier races with the write that follows.
    for (int left_out = 0; left_out < 4; ++left_out)
        EXPECT_EQ(summary(hazards_of([&](MadeBlock& block) {
                      block.fill();
                      block.watch.part_barrier(std::vector{0});
                      std::vector<int> others;
                      for (int warp = 0; warp < 4; ++warp) {
                          block.load(static_cast<std::uint32_t>(10 + warp), warp, words(0));
                          if (warp != left_out) others.push_back(warp);
                      }
                      block.watch.part_barrier(others);
                      block.store(1, others[0], words(0));
                  })),
                  Summary{"race " + std::to_string(10 + left_out) + " 1"})
            << left_out;
}

TEST(ReleaseAcquire, OrdersWhatCameBefore) {
    constexpr std::uint64_t object = 7, other_object = 8;
    const auto run = [](const std::function<void(MadeBlock&)>& between) {
        return summary(hazards_of([&](MadeBlock& block) {
            block.store(1, 0, words(0));
            between(block);
            block.load(2, 1, words(0));
        }));
    };
    EXPECT_EQ(run([](MadeBlock& block) { block.watch.release(0, object), block.watch.acquire(1, object); }), Summary{});
    EXPECT_EQ(run([](MadeBlock& block) { block.watch.release(0, object); }), Summary{"race 1 2"});
    EXPECT_EQ(run([](MadeBlock& block) { block.watch.acquire(1, object), block.watch.release(0, object); }), Summary{"race 1 2"});
    EXPECT_EQ(run([](MadeBlock& block) { block.watch.release(0, object), block.watch.acquire(1, other_object); }), Summary{"race 1 2"});
    EXPECT_EQ(run([](MadeBlock& block) { block.watch.release(0, object), block.watch.acquire(2, object); }), Summary{"race 1 2"});
    EXPECT_EQ(run([](MadeBlock& block) {
                  block.watch.release(0, object), block.watch.acquire(2, object);
                  block.watch.release(2, other_object), block.watch.acquire(1, other_object);
              }),
              Summary{});
    // Accesses after the release are not ordered.
    expect_hazards({"race 1 2"}, [](MadeBlock& block) {
        block.watch.release(0, object);
        block.store(1, 0, words(0));
        block.watch.acquire(1, object);
        block.load(2, 1, words(0));
    });
}

TEST(ReleaseAcquire, DoesNotReachAnotherBlock) {
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        block.store(1, 0, words(0));
        if (number == 0) block.watch.release(0, 7);
        if (number == 1) block.watch.acquire(1, 7);
        if (number == 1) block.load(2, 1, words(0));
    });
    EXPECT_EQ(summary(launch.hazards()), Summary{"race 1 2"});
}

TEST(LastingReads, AreOrderedBeforeNothingUntilTheyEnd) {
    const std::vector<std::function<void(MadeBlock&)>> orders = {
        [](MadeBlock& block) { block.watch.block_barrier(); },
        [](MadeBlock& block) { block.watch.part_barrier(std::vector{0, 1, 2, 3}); },
        [](MadeBlock& block) { block.watch.release(0, 7), block.watch.acquire(1, 7); },
        // A later read by the same warp, and reads by others, do not hide them.
        [](MadeBlock& block) {
            for (const int warp : {0, 2, 0, 3, 0, 2}) block.load(3, warp, words(0)), block.watch.part_barrier(std::vector{0, 1, 2, 3});
        },
    };
    for (const auto& order : orders)
        for (const bool ends : {false, true})
            for (const int writer : {0, 1})
                for (const std::uint32_t lanes : {all_lanes, lane_1})
                    expect_hazards(ends ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
                        block.fill();
                        const auto reads = block.watch.begin_accesses({made(Space::shared, Operation::load, 1, 0, words(0))});
                        if (ends) block.watch.end_accesses(reads);
                        order(block);
                        block.store(2, writer, words(0), lanes);
                        block.watch.block_barrier();
                        block.watch.end_accesses(reads);
                    });
}

TEST(LastingReads, AreNotHiddenByOtherReaders) {
    const std::vector<int> all_warps{0, 1, 2, 3};
    for (const std::vector<int>& readers : {std::vector{0}, std::vector{3, 0, 3}})
        expect_hazards({"race 1 2"}, [&](MadeBlock& block) {
            block.fill();
            block.watch.part_barrier(all_warps);
            block.load(3, 2, words(0));
            block.watch.begin_accesses({made(Space::shared, Operation::load, 1, 0, words(0))});
            for (const int warp : readers) block.load(3, warp, words(0));
            block.watch.part_barrier(all_warps);
            block.store(2, 1, words(0));
        });
}

TEST(LastingReads, EndOneByOne) {
    for (const bool of_the_first : {true, false})
        expect_hazards(of_the_first ? Summary{} : Summary{"race 2 3"}, [&](MadeBlock& block) {
            block.fill();
            const auto first = block.watch.begin_accesses({made(Space::shared, Operation::load, 1, 0, words(0))});
            block.watch.begin_accesses({made(Space::shared, Operation::load, 2, 0, words(32))});
            block.watch.block_barrier();
            block.watch.end_accesses(first);
            block.watch.block_barrier();
            block.store(3, 1, words(of_the_first ? 0 : 32));
        });
}

TEST(LastingReads, OfOnePlaceGoOnUntilTheLastOfThemEnds) {
    for (const int ended : {0, 1, 2})
        expect_hazards(ended == 2 ? Summary{} : Summary{"race 2 3"}, [&](MadeBlock& block) {
            block.fill();
            std::vector<std::uint32_t> reads;
            for (const std::uint32_t line : {1, 2}) {
                reads.push_back(block.watch.begin_accesses({made(Space::shared, Operation::load, line, 0, words(0))}));
                block.watch.block_barrier();
            }
            for (int i = 0; i < ended; ++i) block.watch.end_accesses(reads[static_cast<std::size_t>(i)]);
            block.watch.block_barrier();
            block.store(3, 1, words(0));
        });
}

TEST(LastingReads, OfAnotherBlockAreForgotten) {
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        block.fill();
        if (number == 0) block.watch.begin_accesses({made(Space::shared, Operation::load, 1, 0, words(0))});
        block.watch.block_barrier();
        if (number == 1) block.store(2, 1, words(0));
    });
    EXPECT_EQ(summary(launch.hazards()), Summary{});
}

std::uint32_t begin_copy(MadeBlock& block, std::uint32_t line, int warp, Operation operation = Operation::store) {
    return block.watch.begin_accesses({made(Space::shared, operation, line, warp, words(0))});
}

TEST(LastingWrites, AreOrderedBeforeNothingUntilTheyEnd) {
    const std::vector<std::function<void(MadeBlock&)>> orders = {
        [](MadeBlock& block) { block.watch.block_barrier(); },
        [](MadeBlock& block) { block.watch.part_barrier(std::vector{0, 1, 2, 3}); },
        [](MadeBlock& block) { block.watch.release(0, 7), block.watch.acquire(1, 7); },
    };
    for (const auto& order : orders)
        for (const bool ends : {false, true})
            for (const Operation operation : {Operation::load, Operation::store, Operation::atomic})
                for (const int warp : {0, 1})
                    for (const std::uint32_t lanes : {all_lanes, lane_1})
                        expect_hazards(ends ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
                            const auto writes = begin_copy(block, 1, 0);
                            if (ends) block.watch.end_accesses(writes);
                            order(block);
                            block.access(Space::shared, operation, 2, warp, words(0), lanes);
                            block.watch.block_barrier();
                            block.watch.end_accesses(writes);
                        });
}

TEST(LastingWrites, AreFoundByReadsThatLast) {
    const auto hazards = hazards_of([](MadeBlock& block) {
        begin_copy(block, 1, 0);
        block.watch.block_barrier();
        block.watch.begin_accesses({made(Space::shared, Operation::load, 2, 0, words(0))});
    });
    ASSERT_EQ(summary(hazards), Summary{"race 1 2"});
    EXPECT_EQ(hazards[0].message.code, MessageCode::race_with_lasting_write);
}

TEST(LastingWrites, DoNotReachOtherWords) {
    expect_hazards({}, [](MadeBlock& block) {
        block.fill();
        begin_copy(block, 1, 0);
        block.watch.block_barrier();
        block.load(2, 1, words(32));
        block.store(3, 0, words(64));
    });
}

TEST(LastingWrites, EndLaneByLane) {
    for (const std::uint32_t read : {even_lanes, ~even_lanes})
        expect_hazards(read == even_lanes ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            const auto writes = begin_copy(block, 1, 0);
            block.watch.block_barrier();
            block.watch.end_accesses(writes, even_lanes);
            block.watch.block_barrier();
            block.load(2, 1, words(0), read);
        });
}

TEST(LastingWrites, EndBeforeWhatOthersDoAfterABarrierOnly) {
    for (const bool barrier : {true, false})
        expect_hazards(barrier ? Summary{} : Summary{"race 1 2"}, [&](MadeBlock& block) {
            const auto writes = begin_copy(block, 1, 0);
            block.watch.block_barrier();
            block.watch.end_accesses(writes);
            if (barrier) block.watch.block_barrier();
            block.load(2, 1, words(0));
        });
}

TEST(LastingWrites, BeginWhenTheyAreIssued) {
    for (const bool barrier : {true, false})
        for (const Operation operation : {Operation::load, Operation::store})
            expect_hazards(barrier ? Summary{} : Summary{"race 2 1"}, [&](MadeBlock& block) {
                block.fill();
                block.access(Space::shared, operation, 2, 1, words(0));
                if (barrier) block.watch.block_barrier();
                const auto writes = begin_copy(block, 1, 0);
                block.watch.block_barrier();
                block.watch.end_accesses(writes);
            });
}

TEST(LastingWrites, OfOneValueDoNotRace) {
    for (const std::uint32_t changed : {0u, all_lanes})
        expect_hazards(changed ? Summary{"race 1 2"} : Summary{}, [&](MadeBlock& block) {
            const auto first = begin_copy(block, 1, 0), second = begin_copy(block, 2, 1);
            block.watch.end_accesses(first);
            block.watch.end_accesses(second, all_lanes, changed);
        });
}

TEST(LastingWrites, OfUpdatesDoNotRace) {
    expect_hazards({}, [](MadeBlock& block) {
        block.fill();
        const auto first = begin_copy(block, 1, 0, Operation::atomic), second = begin_copy(block, 2, 1, Operation::atomic);
        block.update(3, 2, words(0));
        block.watch.end_accesses(first);
        block.watch.end_accesses(second);
    });
}

TEST(LastingWrites, OfAnotherBlockAreForgotten) {
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        block.fill();
        if (number == 0) begin_copy(block, 1, 0);
        block.watch.block_barrier();
        if (number == 1) block.load(2, 1, words(0));
    });
    EXPECT_EQ(summary(launch.hazards()), Summary{});
}

TEST(LastingWrites, AreForgottenIfNobodyWaitsForMany) {
    for (const int later : {2047, 2048})
        expect_hazards(later == 2047 ? Summary{"race 1 3"} : Summary{}, [&](MadeBlock& block) {
            block.watch.begin_accesses({made(Space::shared, Operation::store, 1, 0, words(32))});
            for (int i = 0; i < later; ++i) begin_copy(block, 2, 0);
            block.watch.block_barrier();
            block.load(3, 1, words(32));
        });
}

TEST(SharedRace, BlocksDoNotRaceInTheirSharedMemory) {
    MadeLaunch launch;
    launch.run({0, 1, 2}, [](MadeBlock& block, unsigned number) { block.store(1 + number, static_cast<int>(number), words(0)); });
    EXPECT_EQ(summary(launch.hazards()), Summary{});
}

TEST(SharedRace, IsFoundInALongIntervalToo) {
    expect_hazards({"race 2 3"}, [](MadeBlock& block) {
        block.fill();
        for (int i = 0; i < (1 << 20) + 10; ++i) block.load(1, 0, one_word(1), lane_0);
        block.load(2, 0, words(0));
        block.store(3, 1, words(0));
    });
}

TEST(SharedCopies, AnAsynchronousCopyWritesSharedMemory) {
    expect_hazards({"race 1 2"}, [](MadeBlock& block) {
        block.watch.uncounted_access(made(Space::shared, Operation::async_copy, 1, 0, words(0)));
        block.load(2, 1, words(0));
    });
}

}  // namespace
}  // namespace simt::hazards
