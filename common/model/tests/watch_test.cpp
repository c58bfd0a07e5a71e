// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Races between blocks, the counts of a launch, and that neither depends on which host thread runs which block.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <thread>

#include "made_launch.hpp"
#include "simt/json.hpp"

namespace simt::hazards {
namespace {

constexpr std::uint32_t lane_0 = 1;

std::vector<unsigned> blocks(unsigned count)
{
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

/// What two blocks do that run one after the other.
Summary hazards_of_two(const std::function<void(MadeBlock&)>& first, const std::function<void(MadeBlock&)>& second)
{
    MadeLaunch launch;
    return summary(launch.run({0, 1}, [&](MadeBlock& block, unsigned number) { (number == 0 ? first : second)(block); }).hazards());
}

TEST(GlobalRace, BlocksThatTouchTheSameWordRaceIfOneStores)
{
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

TEST(GlobalRace, IsPutIntoWords)
{
    MadeLaunch launch;
    launch.run({2, 5}, [](MadeBlock& block, unsigned number) {
        if (number == 2) block.store_global(1, words(0));
        if (number == 5) block.load_global(2, words(0), 0b1000);
    });
    const auto hazards = launch.hazards();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].message,
              "block (2, 0, 0) writes and block (5, 0, 0), thread (3, 0, 0), reads the same global memory; blocks run in no order");
    EXPECT_EQ(hazards[0].block, (Extent{5, 0, 0}));
    EXPECT_EQ(hazards[0].threads, (std::vector<Extent>{{3, 0, 0}}));
    EXPECT_EQ(hazards[0].help, "Let each block write memory of its own, use atomics, or split the work into two kernel launches.");
}

TEST(GlobalRace, NamesTheThreadWhoseWordItIs)
{
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned number) {
        if (number == 0) block.store_global(1, one_word(32), lane_0);
        if (number == 1) block.load_global(2, [](unsigned lane) { return lane * 128; });
    });
    EXPECT_EQ(launch.hazards().at(0).threads, (std::vector<Extent>{{1, 0, 0}}));
}

TEST(GlobalRace, OneBlockDoesNotRaceWithItself)
{
    MadeLaunch launch;
    launch.run({0}, [](MadeBlock& block, unsigned) {
        block.store_global(1, words(0));
        block.load_global(2, words(16));
        block.store_global(3, words(8));
    });
    EXPECT_EQ(summary(launch.hazards()), Summary{});
}

TEST(GlobalRace, EqualValuesAreHarmlessButNotWhereTheyAreRead)
{
    const auto stores_again = [](MadeBlock& block) { block.store_global(2, words(0), all_lanes, 4, 0); };
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(1, words(0)); }, stores_again), Summary{});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.load_global(1, words(0)); }, stores_again), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(1, words(0)); },
                             [](MadeBlock& block) { block.store_global(2, words(0), all_lanes, 4, lane_0); }),
              Summary{"race 1 2"});
}

TEST(GlobalRace, LaunchesAndSidesOfAGridBarrierAreOrdered)
{
    for (int launch_number = 0; launch_number < 2; ++launch_number) {
        MadeLaunch launch;
        launch.run({0}, [](MadeBlock& block, unsigned) { block.store_global(1, words(0)); });
        if (launch_number == 1) launch.watch.grid_barrier();
        launch.run({static_cast<unsigned>(launch_number)}, [](MadeBlock& block, unsigned) { block.load_global(2, words(0)); });
        EXPECT_EQ(summary(launch.hazards()), Summary{});
    }
}

TEST(GlobalRace, BlocksMayTakeTurnsInALine)
{
    for (const int once_more : {-1, 0, 31}) {
        MadeLaunch launch;
        launch.run(blocks(8), [&](MadeBlock& block, unsigned number) {
            block.store_global(1, [=](unsigned lane) { return (lane * 8 + number) * 4; });
            if (number == 7 && once_more >= 0) block.store_global(2, one_word(static_cast<unsigned>(once_more) * 8 + 1), lane_0);
        });
        EXPECT_EQ(summary(launch.hazards()), once_more < 0 ? Summary{} : Summary{"race 1 2"}) << once_more;
    }
}

TEST(GlobalRace, TheAccessThatIsNamedIsTheLastToItsWord)
{
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

TEST(GlobalRace, NamesTheLowerBlockFirstWhicheverRanFirst)
{
    MadeLaunch launch;
    launch.run({5, 2}, [](MadeBlock& block, unsigned number) {
        if (number == 5) block.store_global(1, words(0));
        if (number == 2) block.load_global(2, words(0), 0b1000);
    });
    const auto hazards = launch.hazards();
    EXPECT_EQ(summary(hazards), Summary{"race 2 1"});
    EXPECT_EQ(hazards.at(0).message,
              "block (2, 0, 0), thread (3, 0, 0), reads and block (5, 0, 0) writes the same global memory; blocks run in no order");
}

TEST(GlobalRace, OfSeveralReadersOneIsAnother)
{
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

TEST(GlobalRace, AtomicsDoNotRaceWithOneAnother)
{
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
    EXPECT_NE(launch.hazards().at(0).message.find("block (0, 0, 0) updates and block (1, 0, 0), thread (0, 0, 0), reads"),
              std::string::npos);
}

TEST(GlobalRace, AtomicsOnACommonAddressOrderWhatIsAroundThem)
{
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
    // The atomic access itself is ordered before what comes after another to its address.
    EXPECT_EQ(hazards_of_two(at(flag), both(at(flag), [](MadeBlock& block) { block.load_global(2, one_word(flag), lane_0); })), Summary{});
    // A fence and a flag do the same.
    const auto fence = [](MadeBlock& block) { block.watch.global_release_acquire(heap + flag * 4); };
    EXPECT_EQ(hazards_of_two(both(store, fence), both(at(flag), load)), Summary{});
    // One of many addresses is enough.
    const auto many = [](MadeBlock& block) { block.update_global(3, words(flag - 5)); };
    EXPECT_EQ(hazards_of_two(both(store, many), both(at(flag), load)), Summary{});
    EXPECT_EQ(hazards_of_two(both(store, at(flag)), both(many, load)), Summary{});
}

TEST(GlobalRace, BytesOfAWordAreTakenForTheWordWhereOneAccessIsWhole)
{
    const auto store = [](unsigned byte) {
        return [=](MadeBlock& block) { block.store_global(1, [=](unsigned) { return byte; }, lane_0, 1); };
    };
    EXPECT_EQ(hazards_of_two(store(0), store(1)), Summary{});
    EXPECT_EQ(hazards_of_two(store(0), [](MadeBlock& block) { block.load_global(2, words(0)); }), Summary{"race 1 2"});
    EXPECT_EQ(hazards_of_two([](MadeBlock& block) { block.store_global(2, words(0)); }, store(1)), Summary{"race 2 1"});
}

TEST(GlobalRace, WideAccessesTouchAllOfTheirWords)
{
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

TEST(GlobalRace, ContiguousAccessesNeedNotBeAlignedToALine)
{
    for (const unsigned start : {0u, 1u, 31u, 33u})
        for (const unsigned word : {0u, 1u, 30u, 31u, 32u, 33u, 62u, 63u, 64u, 65u})
            EXPECT_EQ(hazards_of_two([&](MadeBlock& block) { block.store_global(1, words(start)); },
                                     [&](MadeBlock& block) { block.load_global(2, one_word(word), lane_0); }),
                      word >= start && word < start + 32 ? Summary{"race 1 2"} : Summary{})
                << start << ' ' << word;
}

TEST(GlobalRace, AnAsynchronousCopyReadsGlobalMemory)
{
    const auto copy = [](MadeBlock& block) { block.access(Space::global, Operation::async_copy, 1, 0, words(0)); };
    EXPECT_EQ(hazards_of_two(copy, copy), Summary{});
    EXPECT_EQ(hazards_of_two(copy, [](MadeBlock& block) { block.store_global(2, words(0)); }), Summary{"race 1 2"});
}

TEST(GlobalRace, ForgottenMemoryIsWatchedAnew)
{
    const auto store = [](MadeBlock& block, unsigned) { block.store_global(1, words(0)); };
    MadeLaunch launch;
    launch.run({0}, store);
    forget_global_memory(heap, std::size_t{1} << 20);
    launch.run({1}, store);
    EXPECT_EQ(summary(launch.hazards()), Summary{});
    launch.run({2}, store);
    EXPECT_EQ(summary(launch.hazards()), Summary{"race 1 1"});
}

TEST(Reports, AreOneForEachKindAndPairOfLinesInTheLowestBlock)
{
    std::vector<unsigned> order = blocks(8);
    std::mt19937 random(1);
    for (int repetition = 0; repetition < 10; ++repetition) {
        MadeLaunch launch;
        launch.run(order, [](MadeBlock& block, unsigned number) {
            if (number < 3) return;
            // Instructions 1 and 101 are one line.
            block.store(1, 0, words(0));
            block.load(2, 1, words(0));
            block.watch.block_barrier();
            block.store(101, 0, words(0));
            block.load(2, 1, words(0));
            block.watch.block_barrier();
            block.load(2, 0, words(0));
            block.store(1, 1, words(0));
        });
        const auto hazards = launch.hazards();
        EXPECT_EQ(summary(hazards), Summary{"race 1 2"});
        EXPECT_EQ(hazards[0].block.x, 3u);
        std::ranges::shuffle(order, random);
    }
}

TEST(Reports, OfTheInterpreterAreKeptInTheSameWay)
{
    MadeLaunch launch;
    const std::uint32_t program_counters[] = {4}, other_program_counters[] = {5};
    const int threads[] = {33};
    for (const unsigned block : {7u, 3u, 9u})
        for (const auto& places : {program_counters, other_program_counters})
            launch.watch.report(HazardKind::out_of_bounds, {block, 0, 0}, block, threads, {places, 1}, "message " + std::to_string(block),
                                "help");
    const auto hazards = launch.hazards();
    EXPECT_EQ(summary(hazards), (Summary{"out_of_bounds 4", "out_of_bounds 5"}));
    for (const Hazard& hazard : hazards) EXPECT_EQ(hazard.message, "message 3");
    EXPECT_EQ(hazards[0].lines[0].line, 4);
    EXPECT_EQ(hazards[0].threads[0].x, 33u);
}

/// A block that does some of everything, right and wrong.
void do_much(MadeBlock& block, unsigned number)
{
    for (int warp = 0; warp < 4; ++warp) {
        const auto offset = static_cast<unsigned>(warp) * 32;
        block.access(Space::global, Operation::load, 1, warp, words(number * 128 + offset));
        block.store(2, warp, words(offset));
    }
    block.watch.block_barrier();
    for (int warp = 0; warp < 4; ++warp) {
        block.load(3, warp, [=](unsigned lane) { return (lane * 4 + static_cast<unsigned>(warp)) * 4; });
        block.store(4, warp, words(static_cast<unsigned>(warp)), number % 4 == 3 ? all_lanes : 0xF);
        block.watch.warp_barrier(warp, all_lanes);
        block.access(Space::global, Operation::store, 5, warp,
                     [=](unsigned lane) { return 1 << 20 | (lane * 8192 + number * 128 + static_cast<unsigned>(warp) * 32); });
        block.access(Space::global, Operation::store, 6, warp, words(100000 + number % 8 * 16), number % 4 == 1 ? all_lanes : 0xFFFF);
    }
    block.update_global(7, words(200000 + number % 3));
    block.load_global(8, words(400000));
}

TEST(HostThreads, DoNotChangeWhatComesOut)
{
    MadeLaunch alone;
    alone.run(blocks(made_grid), do_much);
    const auto hazards = alone.hazards();
    const auto counts = to_json(alone.watch.take_counts());
    EXPECT_EQ(summary(hazards), (Summary{"race 4 3", "race 4 4", "race 6 6"}));
    for (int repetition = 0; repetition < 20; ++repetition) {
        MadeLaunch together(false);
        std::vector<std::thread> threads;
        std::atomic<unsigned> next = 0;
        for (int thread = 0; thread < 3; ++thread)
            threads.emplace_back([&] {
                while (true) {
                    const unsigned number = next++;
                    if (number >= made_grid) return;
                    together.run({number}, do_much);
                }
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(summary(together.hazards()), summary(hazards));
        EXPECT_EQ(to_json(together.watch.take_counts()), counts);
    }
}

TEST(HostThreads, MayRunTheBlocksInAnyOrder)
{
    std::vector<unsigned> order = blocks(made_grid);
    std::mt19937 random(1);
    MadeLaunch first;
    const Summary hazards = summary(first.run(order, do_much).hazards());
    const auto counts = to_json(first.watch.take_counts());
    for (int repetition = 0; repetition < 20; ++repetition) {
        std::ranges::shuffle(order, random);
        MadeLaunch launch;
        EXPECT_EQ(summary(launch.run(order, do_much).hazards()), hazards);
        EXPECT_EQ(to_json(launch.watch.take_counts()), counts);
    }
}

TEST(HostThreads, BlocksMayTakeTurns)
{
    MadeLaunch launch;
    MadeBlock first(launch.watch), second(launch.watch);
    first.watch.begin_block({0, 0, 0}, 0);
    second.watch.begin_block({1, 0, 0}, 1);
    for (MadeBlock* block : {&first, &second}) block->store(1, 0, words(0));
    for (MadeBlock* block : {&first, &second}) block->load_global(2, words(0));
    second.store_global(3, words(0));
    for (MadeBlock* block : {&first, &second}) block->watch.end_block();
    EXPECT_EQ(summary(launch.hazards()), Summary{"race 2 3"});
    EXPECT_EQ(launch.watch.take_counts().shared_store.instructions, 2u);

    // Of counts that were kept apart, the example of the lower block is drawn.
    MadeLaunch other;
    MadeBlock later(other.watch), earlier(other.watch);
    later.watch.begin_block({1, 0, 0}, 1);
    earlier.watch.begin_block({0, 0, 0}, 0);
    later.load_global(1, words(100));
    earlier.load_global(1, words(200));
    for (MadeBlock* block : {&later, &earlier}) block->watch.end_block();
    EXPECT_EQ(other.watch.take_counts().lines.at(0).first_access.lanes[0], 800);
}

TEST(Counts, AreToldByLineSpaceAndOperation)
{
    MadeLaunch launch;
    launch.run({0, 1}, [](MadeBlock& block, unsigned) {
        block.store(1, 0, [](unsigned lane) { return lane * 8; });
        block.load(1, 0, words(0), 0xFFFF);
        block.load(101, 0, words(0), 0xFFFF);
        block.update_global(2, one_word(0));
        block.load_global(3, words(1));
        block.watch.block_barrier();
        block.watch.part_barrier(std::vector{0, 1});
        block.watch.warp_barrier(0, all_lanes);
    });
    const LaunchCounts counts = launch.watch.take_counts();
    EXPECT_EQ(counts.name, "kernel");
    EXPECT_EQ(counts.blocks, 64u);
    EXPECT_EQ(counts.shared_bytes, 1024u);
    EXPECT_EQ(counts.barriers, 4u);
    EXPECT_EQ(counts.warp_barriers, 2u);
    EXPECT_EQ(counts.shared_store, (SharedCounts{2, 4, 2}));
    EXPECT_EQ(counts.shared_load, (SharedCounts{4, 4, 4}));
    EXPECT_EQ(counts.global_atomic, (GlobalCounts{2, 64, 2, 256}));
    EXPECT_EQ(counts.global_load, (GlobalCounts{2, 10, 8, 256}));
    ASSERT_EQ(counts.lines.size(), 5u);
    EXPECT_EQ(counts.lines[0].operation, Operation::load);
    EXPECT_EQ(counts.lines[1].operation, Operation::store);
    EXPECT_EQ(counts.lines[2].inlined_from.at(0).function, "called");
    EXPECT_EQ(to_json(counts)["lines"][2]["inlined_from"][0]["line"], 1);
    EXPECT_FALSE(to_json(counts)["lines"][0].contains("inlined_from"));
}

TEST(Counts, OfRareSpacesAndOperations)
{
    MadeLaunch launch;
    launch.run({0}, [](MadeBlock& block, unsigned) {
        block.access(Space::local, Operation::load, 1, 0, [](unsigned) { return 8; });
        block.access(Space::local, Operation::store, 2, 0, [](unsigned lane) { return lane * 4; });
        block.access(Space::local, Operation::load, 3, 0, [](unsigned) { return 16; }, all_lanes, 16);
        block.access(Space::constant, Operation::load, 4, 0, [](unsigned lane) { return lane / 8 * 4; });
        block.access(Space::texture, Operation::load, 5, 0, words(0));
        block.watch.count_only(made(Space::global, Operation::async_copy, 6, 0, [](unsigned lane) { return lane * 16; }, all_lanes, 16));
        block.watch.count_only(made(Space::shared, Operation::async_copy, 6, 0, [](unsigned lane) { return lane * 16; }, all_lanes, 16));
        block.watch.count_bulk_copy(7, heap + 16, 64, true);
    });
    const LaunchCounts counts = launch.watch.take_counts();
    EXPECT_EQ(counts.local_load, (GlobalCounts{1 + 4, 4 + 16, 4 + 16, 128 + 512}));
    EXPECT_EQ(counts.local_store, (GlobalCounts{1, 32, 4, 128}));
    EXPECT_EQ(counts.constant_load, (SharedCounts{1, 4, 1}));
    EXPECT_EQ(counts.texture_load, (GlobalCounts{1, 0, 0, 128}));
    EXPECT_EQ(counts.async_copy_global, (GlobalCounts{1, 16, 16, 512}));
    EXPECT_EQ(counts.async_copy_shared, (SharedCounts{1, 4, 4}));
    EXPECT_EQ(counts.bulk_copy, (GlobalCounts{1, 3, 2, 64}));
    EXPECT_EQ(counts.global_load, GlobalCounts{});
    const auto json = to_json(counts);
    EXPECT_EQ(json["async_copy"]["global"]["sectors"], 16);
    EXPECT_EQ(json["constant_load"]["words"], 4);
    EXPECT_EQ(json["exact"], true);
}

TEST(Counts, DrawTheAccessOfMostLanesInTheLowestBlock)
{
    for (const auto& order : {std::vector{1u, 2u, 5u, 6u}, {6u, 5u, 2u, 1u}, {5u, 1u, 6u, 2u}}) {
        MadeLaunch launch;
        launch.run(order, [](MadeBlock& block, unsigned number) {
            block.load_global(1, words(number * 100), 0xFF);
            block.load_global(1, words(number * 100 + 1), number == 1 ? 0xFF : 0xFFFF);
            block.load_global(1, words(number * 100 + 2), number == 1 ? 0xFF : 0xFFFF);
        });
        const LaunchCounts counts = launch.watch.take_counts();
        EXPECT_EQ(counts.lines[0].first_access.lanes[0], 201 * 4);
        EXPECT_EQ(counts.lines[0].first_access.lanes[15], 216 * 4);
        EXPECT_EQ(counts.lines[0].first_access.lanes[16], std::nullopt);
    }
}

TEST(Listeners, HearWhatIsCounted)
{
    struct Ear : Listener {
        std::string heard;
        void launch_begins(const LaunchInfo&) override { heard += "L"; }
        void block_begins(const Extent& index) override { heard += "B" + std::to_string(index.x); }
        void warp_access(const WarpAccess& access) override { heard += "a" + std::to_string(access.program_counter); }
        void block_barrier() override { heard += "b"; }
        void warp_barrier(int, std::uint32_t) override { heard += "w"; }
        void block_ends() override { heard += "e"; }
        void launch_ends() override { heard += "l"; }
    } ear;
    MadeLaunch launch(true, {&ear});
    launch.run({0, 1}, [](MadeBlock& block, unsigned) {
        block.store(1, 0, words(0));
        block.watch.uncounted_access(made(Space::shared, Operation::store, 2, 0, words(0)));
        block.watch.block_barrier();
        block.watch.warp_barrier(0, all_lanes);
    });
    launch.watch.take_counts();
    EXPECT_EQ(ear.heard, "LB0a1bweB1a1bwel");
}

}  // namespace
}  // namespace simt::hazards
