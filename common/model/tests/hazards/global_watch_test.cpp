// Races between blocks in global memory, of accesses that are made by hand.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "hazards/global_shadow.hpp"
#include "made_launch.hpp"
#include "rules/lane_sets.hpp"

namespace simt::hazards {
namespace {

/// The hazards of two blocks that run one after the other.
Summary hazards_of_two(const std::function<void(MadeBlock&)>& first, const std::function<void(MadeBlock&)>& second) {
    MadeLaunch launch;
    return summary(launch.run({0, 1}, [&](MadeBlock& block, unsigned number) { (number == 0 ? first : second)(block); }).hazards());
}

TEST(GlobalLine, EachOneOfAnAccessIsVisited) {
    std::mt19937_64 random(4);
    for (int n = 0; n < 2000; ++n) {
        const int size = 1 << random() % 5;
        const std::uint64_t begin = random() % 300 * size, step = n % 3 == 0 ? random() % 40 * size : size;
        const std::uint32_t lanes = n % 2 == 0 ? all_lanes : static_cast<std::uint32_t>(random());
        WarpAccess access = made(Space::global, Operation::load, 1, 0, [=](unsigned lane) { return begin + lane * step; }, lanes, size);
        access.evenly_spaced = lanes == all_lanes;
        access.step = step;
        std::set<std::uint64_t> visited, touched;
        GlobalLine::for_each(access, lanes, [&](std::uint64_t address) { visited.insert(address / GlobalLine::bytes); });
        for (const std::size_t lane : lanes_in(lanes)) touched.insert(access.address[lane] / GlobalLine::bytes);
        EXPECT_EQ(visited, touched) << "from " << begin << ", " << step << " apart, of " << size;
    }
}

TEST(GlobalRace, BlocksThatTouchTheSameWordRaceIfOneStores) {
    const auto store = [](std::uint32_t program_counter) {
        return [=](MadeBlock& block) { block.store_global(program_counter, words(0)); };
    };
    const auto load = [](std::uint32_t program_counter) { return [=](MadeBlock& block) { block.load_global(program_counter, words(0)); }; };
    EXPECT_EQ(hazards_of_two(store(1), store(2)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(store(1), load(2)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(load(1), store(2)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(load(1), load(2)), Summary{});
    EXPECT_EQ(hazards_of_two(store(1), [](MadeBlock& block) { block.store_global(2, words(32)); }), Summary{});
}

TEST(GlobalRace, IsPutIntoWords) {
    MadeLaunch launch;
    launch.run({2, 5}, [](MadeBlock& block, unsigned number) {
        if (number == 2) block.store_global(1, words(0));
        if (number == 5) block.load_global(2, words(0), 0b1000);
    });
    const auto hazards = launch.hazards();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].message, Message(MessageCode::race_between_blocks, {{"first_block", Extent{2, 0, 0}},
                                                                             {"first", Operation::store},
                                                                             {"second_block", Extent{5, 0, 0}},
                                                                             {"second_thread", Extent{3, 0, 0}},
                                                                             {"second", Operation::load}}));
    EXPECT_EQ(hazards[0].block, (Extent{5, 0, 0}));
    EXPECT_EQ(hazards[0].threads, (std::vector<Extent>{{3, 0, 0}}));
}

TEST(GlobalRace, NamesTheThreadWhoseWordItIs) {
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        if (number == 0) block.store_global(1, one_word(32), lane_0);
        if (number == 1) block.load_global(2, [](unsigned lane) { return lane * 128; });
    });
    EXPECT_EQ(launch.hazards().at(0).threads, (std::vector<Extent>{{1, 0, 0}}));
}

TEST(GlobalRace, OneBlockDoesNotRaceWithItself) {
    MadeLaunch launch;
    launch.run({0}, [](MadeBlock& block, unsigned) {
        block.store_global(1, words(0));
        block.load_global(2, words(16));
        block.store_global(3, words(8));
    });
    EXPECT_EQ(summary(launch.hazards()), Summary{});
}

TEST(GlobalRace, EqualValuesAreHarmlessButNotWhereTheyAreRead) {
    const auto stores_again = [](MadeBlock& block) { block.store_global(2, words(0), all_lanes, 4, 0); };
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(1, words(0)); }, stores_again), Summary{});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.load_global(1, words(0)); }, stores_again), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(1, words(0)); },
                             [](MadeBlock& block) { block.store_global(2, words(0), all_lanes, 4, lane_0); }),
              Summary{"race 1 2"});
}

TEST(GlobalRace, LaunchesAndSidesOfAGridBarrierAreOrdered) {
    for (int launch_number = 0; launch_number < 2; ++launch_number) {
        MadeLaunch launch;
        launch.run({0}, [](MadeBlock& block, unsigned) { block.store_global(1, words(0)); });
        if (launch_number == 1) launch.watch.grid_barrier();
        launch.run({static_cast<unsigned>(launch_number)}, [](MadeBlock& block, unsigned) { block.load_global(2, words(0)); });
        EXPECT_EQ(summary(launch.hazards()), Summary{});
    }
}

TEST(GlobalRace, BlocksMayTakeTurnsInALine) {
    for (const int once_more : {-1, 0, 31}) {
        MadeLaunch launch;
        launch.run(blocks(8), [&](MadeBlock& block, unsigned number) {
            block.store_global(1, [=](unsigned lane) { return (lane * 8 + number) * 4; });
            if (number == 7 && once_more >= 0) block.store_global(2, one_word(static_cast<unsigned>(once_more) * 8 + 1), lane_0);
        });
        EXPECT_EQ(summary(launch.hazards()), once_more < 0 ? Summary{} : Summary{"race 1 2"}) << once_more;
    }
}

TEST(GlobalRace, TheAccessThatIsNamedIsTheLastToItsWord) {
    const auto several_ways = [](MadeBlock& block) {
        block.store_global(1, words(0));
        block.store_global(2, words(0), 0xAAAAAAAA);
        block.load_global(3, [](unsigned lane) { return ((lane + 32) % 64) * 4; });
        block.load_global(4, words(64));
        for (std::uint32_t program_counter = 5; program_counter < 12; ++program_counter)
            block.store_global(program_counter, words(96), 1u << program_counter);
    };
    for (const auto& [word, expected] :
         {std::pair{100, Summary{}}, {4, {"race 1 20"}}, {70, {"race 4 20"}}, {40, {"race 3 20"}}, {103, {"race 7 20"}}})
        EXPECT_EQ(hazards_of_two(several_ways,
                                 [&, at = word](MadeBlock& block) { block.store_global(20, one_word(static_cast<unsigned>(at)), lane_0); }),
                  expected)
            << word;
    const auto odd = hazards_of_two(several_ways, [](MadeBlock& block) { block.load_global(20, one_word(5), lane_0); });
    EXPECT_EQ(odd, Summary{"race 2 20"});
}

TEST(GlobalRace, NamesTheLowerBlockFirstWhicheverRanFirst) {
    MadeLaunch launch;
    launch.run({5, 2}, [](MadeBlock& block, unsigned number) {
        if (number == 5) block.store_global(1, words(0));
        if (number == 2) block.load_global(2, words(0), 0b1000);
    });
    const auto hazards = launch.hazards();
    EXPECT_EQ(summary(hazards), Summary{"race 2 1"});
    EXPECT_EQ(hazards.at(0).message, Message(MessageCode::race_between_blocks, {{"first_block", Extent{2, 0, 0}},
                                                                                {"first_thread", Extent{3, 0, 0}},
                                                                                {"first", Operation::load},
                                                                                {"second_block", Extent{5, 0, 0}},
                                                                                {"second", Operation::store}}));
}

TEST(GlobalRace, OfSeveralReadersOneIsAnother) {
    // Each block reads, and one writes at last; in all orders.
    for (unsigned writer = 0; writer < 3; ++writer) {
        MadeLaunch launch;
        launch.run({0, 1, 2, writer}, [turn = 0](MadeBlock& block, unsigned) mutable {
            if (turn++ < 3) block.load_global(1, words(0));
            else block.store_global(2, words(0));
        });
        EXPECT_EQ(summary(launch.hazards()), Summary{writer == 0 ? "race 2 1" : "race 1 2"})
            << "the line of the lower block comes first, writer " << writer;
    }
}

TEST(GlobalRace, OfTwoReadersOneIsAnotherInALineOfManyBlocks) {
    // Blocks 0 to 4 read words of their own. Block 5 reads some words twice, and block 6 reads them once; then one of the two writes.
    for (const std::uint32_t lanes : {0x100u, 0xF00u})
        for (const unsigned writer : {5u, 6u}) {
            MadeLaunch launch;
            launch.run({0, 1, 2, 3, 4, 5, 6, writer}, [=, turn = 0](MadeBlock& block, unsigned number) mutable {
                if (turn == 7) block.store_global(3, words(0), lanes);
                else if (number < 5) block.load_global(1, one_word(number), lane_0);
                else
                    for (int times = number == 5 ? 2 : 1; times > 0; --times) block.load_global(2, words(0), lanes);
                ++turn;
            });
            EXPECT_EQ(summary(launch.hazards()), Summary{writer == 5 ? "race 3 2" : "race 2 3"}) << lanes << ", writer " << writer;
        }
}

TEST(GlobalRace, IsFoundInLinesThatManyBlocksTouchHereAndThere) {
    std::mt19937 random(11);
    int trials_with_race = 0;
    for (unsigned trial = 0; trial < 400; ++trial) {
        MadeLaunch launch(trial % 2 == 0);
        const unsigned share_of_stores = 1 + random() % 400, share_of_own = random() % 100;
        std::map<unsigned, std::set<unsigned>> touching, storing;
        std::vector<unsigned> order;
        for (unsigned n = 0; n < 60; ++n) order.push_back(random() % made_grid);
        launch.run(order, [&](MadeBlock& block, unsigned number) {
            std::array<unsigned, 32> words;
            // Some blocks access only a few words of their own.
            const bool own = random() % 100 < share_of_own;
            for (unsigned& word : words) word = own ? 64 + number : random() % 64;
            const auto address = [&](unsigned lane) { return words[lane] * 4; };
            const std::uint32_t active = 0b1011;
            const bool stores = random() % share_of_stores == 0;
            if (stores) block.store_global(2, address, active);
            else block.load_global(1, address, active);
            for (const std::size_t lane : lanes_in(active)) {
                touching[words[lane]].insert(number);
                if (stores) storing[words[lane]].insert(number);
            }
        });
        bool races = false;
        for (const auto& [word, blocks] : storing) races |= touching[word].size() > 1;
        EXPECT_EQ(!launch.hazards().empty(), races) << "trial " << trial;
        trials_with_race += races;
    }
    EXPECT_GT(trials_with_race, 50);
    EXPECT_LT(trials_with_race, 350);
}

TEST(GlobalRace, AtomicsDoNotRaceWithOneAnother) {
    const auto update = [](std::uint32_t program_counter, std::uint64_t word) {
        return [=](MadeBlock& block) { block.update_global(program_counter, one_word(word), lane_0); };
    };
    EXPECT_EQ(hazards_of_two(update(1, 0), update(2, 0)), Summary{});
    EXPECT_EQ(hazards_of_two(update(1, 0), [](MadeBlock& block) { block.store_global(2, words(0)); }), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(1, words(0)); }, update(2, 0)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.load_global(1, words(0)); }, update(2, 0)), Summary{"race 1 2"});
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        if (number == 0) block.update_global(1, one_word(0), lane_0);
        if (number == 1) block.load_global(2, one_word(0), lane_0);
    });
    EXPECT_EQ(launch.hazards().at(0).message, Message(MessageCode::race_between_blocks, {{"first_block", Extent{0, 0, 0}},
                                                                                         {"first", Operation::atomic},
                                                                                         {"second_block", Extent{1, 0, 0}},
                                                                                         {"second_thread", Extent{0, 0, 0}},
                                                                                         {"second", Operation::load}}));
}

TEST(GlobalRace, AtomicsOnACommonAddressOrderWhatIsAroundThem) {
    constexpr std::uint64_t flag = 1000, other_flag = 2000;
    const auto store = [](MadeBlock& block) { block.store_global(1, words(0)); };
    const auto load = [](MadeBlock& block) { block.load_global(2, words(0)); };
    const auto at = [](std::uint64_t word) { return [=](MadeBlock& block) { block.update_global(3, one_word(word), lane_0); }; };
    const auto both = [](auto first, auto second) { return [=](MadeBlock& block) { first(block), second(block); }; };
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), both(at(flag), load)), Summary{});
    EXPECT_EQ(hazards_of_two(both(at(flag), store), both(at(flag), load)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), both(load, at(flag))), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), both(at(other_flag), load)), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), load), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two(both(load, at(flag)), both(at(flag), store)), Summary{});
    EXPECT_EQ(hazards_of_two(both(at(flag), load), both(at(flag), store)), Summary{"race 2 1"});
    // The atomic access itself is ordered before accesses after a later atomic access to its address.
    EXPECT_EQ(hazards_of_two(at(flag), both(at(flag), [](MadeBlock& block) { block.load_global(2, one_word(flag), lane_0); })), Summary{});
    // A fence and a flag do the same.
    const auto fence = [](MadeBlock& block) { block.watch.global_release_acquire(heap + flag * 4); };
    EXPECT_EQ(hazards_of_two(both(store, fence), both(at(flag), load)), Summary{});
    // One of many addresses is enough.
    const auto many = [](MadeBlock& block) { block.update_global(3, words(flag - 5)); };
    EXPECT_EQ(hazards_of_two(both(store, many), both(at(flag), load)), Summary{});
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), both(many, load)), Summary{});
}

TEST(GlobalRace, ABlockThatReadsAgainAfterAReleaseIsOrderedByTheNextRelease) {
    // With many other readers the line has a summary; the last of them reads the same word.
    for (const unsigned others : {0u, 1u, 8u})
        for (const bool releases_again : {false, true}) {
            MadeLaunch launch;
            std::vector<unsigned> order;
            for (unsigned block = 1 + others; block > 1; --block) order.push_back(block);
            order.insert(order.end(), {0, 1});
            launch.run(order, [=](MadeBlock& block, unsigned number) {
                const auto flag = one_word(1000);
                if (number > 1) return block.load_global(2, one_word(number == 2 ? 0 : number), lane_0);
                if (number == 1) block.update_global(3, flag, lane_0);
                if (number == 1) return block.store_global(1, one_word(0), lane_0);
                block.load_global(4, one_word(0), lane_0);
                block.update_global(3, flag, lane_0);
                block.load_global(5, one_word(0), lane_0);
                if (releases_again) block.update_global(3, flag, lane_0);
            });
            Summary expected;
            if (others > 0) expected.push_back("race 1 2");
            if (!releases_again) expected.push_back("race 5 1");
            EXPECT_EQ(summary(launch.hazards()), expected) << others << " other readers";
        }
}

TEST(GlobalRace, BytesOfAWordAreTakenForTheWordWhereOneAccessIsWhole) {
    const auto store = [](unsigned byte) {
        return [=](MadeBlock& block) { block.store_global(1, [=](unsigned) { return byte; }, lane_0, 1); };
    };
    EXPECT_EQ(hazards_of_two(store(0), store(1)), Summary{});
    EXPECT_EQ(hazards_of_two(store(0), [](MadeBlock& block) { block.load_global(2, words(0)); }), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(2, words(0)); }, store(1)), Summary{"race 2 1"});
}

TEST(GlobalRace, WideAccessesTouchAllOfTheirWords) {
    for (const int size : {8, 16})
        for (const unsigned word : {0u, 31u, 32u, 64u, 127u, 128u})
            EXPECT_EQ(hazards_of_two(
                          [&](MadeBlock& block) {
                              block.store_global(1, [&](unsigned lane) { return lane * static_cast<unsigned>(size); }, all_lanes, size);
                          },
                          [&](MadeBlock& block) { block.load_global(2, one_word(word), lane_0); }),
                      word < static_cast<unsigned>(size) * 8 ? Summary{"race 1 2"} : Summary{})
                << size << ' ' << word;
}

TEST(GlobalRace, ContiguousAccessesNeedNotBeAlignedToALine) {
    for (const unsigned start : {0u, 1u, 31u, 33u})
        for (const unsigned word : {0u, 1u, 30u, 31u, 32u, 33u, 62u, 63u, 64u, 65u})
            EXPECT_EQ(hazards_of_two([&](MadeBlock& block) { block.store_global(1, words(start)); },
                                     [&](MadeBlock& block) { block.load_global(2, one_word(word), lane_0); }),
                      word >= start && word < start + 32 ? Summary{"race 1 2"} : Summary{})
                << start << ' ' << word;
}

TEST(GlobalRace, AnAsynchronousCopyReadsGlobalMemory) {
    const auto copy = [](MadeBlock& block) { block.access(Space::global, Operation::async_copy, 1, 0, words(0)); };
    EXPECT_EQ(hazards_of_two(copy, copy), Summary{});
    EXPECT_EQ(hazards_of_two(copy, [](MadeBlock& block) { block.store_global(2, words(0)); }), Summary{"race 1 2"});
}

TEST(GlobalRace, ForgottenMemoryIsWatchedAnew) {
    const auto store = [](MadeBlock& block, unsigned) { block.store_global(1, words(0)); };
    MadeLaunch launch;
    launch.run({0}, store);
    forget_global_memory(heap, std::size_t{1} << 20);
    launch.run({1}, store);
    EXPECT_EQ(summary(launch.hazards()), Summary{});
    launch.run({2}, store);
    EXPECT_EQ(summary(launch.hazards()), Summary{"race 1 1"});
}

}  // namespace
}  // namespace simt::hazards
