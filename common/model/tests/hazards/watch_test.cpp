// Reports and counts of a launch, and that neither they nor races depend on which host thread runs which block.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "made_launch.hpp"
#include "simt/json.hpp"

namespace simt::hazards {
namespace {

TEST(Reports, AreOneForEachKindAndPairOfLinesInTheLowestBlock) {
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

TEST(Reports, OfTheInterpreterAreKeptInTheSameWay) {
    MadeLaunch launch;
    const std::uint32_t program_counters[] = {4}, other_program_counters[] = {5};
    const int threads[] = {33};
    for (const unsigned block : {7u, 3u, 9u})
        for (const auto& places : {program_counters, other_program_counters})
            launch.watch.report(HazardKind::out_of_bounds, {block, 0, 0}, block, threads, {places, 1},
                                {MessageCode::in_host_memory, {{"bytes", block}}});
    const auto hazards = launch.hazards();
    EXPECT_EQ(summary(hazards), (Summary{"out_of_bounds 4", "out_of_bounds 5"}));
    for (const Hazard& hazard : hazards) EXPECT_EQ(hazard.message, Message(MessageCode::in_host_memory, {{"bytes", 3}}));
    EXPECT_EQ(hazards[0].lines[0].line, 4);
    EXPECT_EQ(hazards[0].threads[0].x, 33u);
}

/// A block that does some of everything, right and wrong.
void do_much(MadeBlock& block, unsigned number) {
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

TEST(HostThreads, DoNotChangeWhatComesOut) {
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

TEST(HostThreads, MayRunTheBlocksInAnyOrder) {
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

TEST(HostThreads, BlocksMayTakeTurns) {
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

    // When separate counts are summed, the example of the lower block is kept.
    MadeLaunch other;
    MadeBlock later(other.watch), earlier(other.watch);
    later.watch.begin_block({1, 0, 0}, 1);
    earlier.watch.begin_block({0, 0, 0}, 0);
    later.load_global(1, words(100));
    earlier.load_global(1, words(200));
    for (MadeBlock* block : {&later, &earlier}) block->watch.end_block();
    EXPECT_EQ(other.watch.take_counts().lines.at(0).first_access.lanes[0], 800);
}

TEST(Counts, AreToldByLineSpaceAndOperation) {
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
    EXPECT_EQ(counts.global_atomic, (GlobalCounts{2, 64, 2, 2, 256}));
    EXPECT_EQ(counts.global_load, (GlobalCounts{2, 10, 8, 2, 256}));
    ASSERT_EQ(counts.lines.size(), 5u);
    EXPECT_EQ(counts.lines[0].operation, Operation::load);
    EXPECT_EQ(counts.lines[1].operation, Operation::store);
    EXPECT_EQ(counts.lines[2].inlined_from.at(0).function, "called");
    EXPECT_EQ(to_json(counts)["lines"][2]["inlined_from"][0]["line"], 1);
    EXPECT_FALSE(to_json(counts)["lines"][0].contains("inlined_from"));
}

TEST(Counts, OfRareSpacesAndOperations) {
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
    EXPECT_EQ(counts.local_load, (GlobalCounts{1 + 4, 4 + 16, 4 + 16, 1 + 4, 128 + 512}));
    EXPECT_EQ(counts.local_store, (GlobalCounts{1, 32, 4, 1, 128}));
    EXPECT_EQ(counts.constant_load, (SharedCounts{1, 4, 1}));
    EXPECT_EQ(counts.texture_load, (GlobalCounts{1, 0, 0, 0, 128}));
    EXPECT_EQ(counts.async_copy_global, (GlobalCounts{1, 16, 16, 1, 512}));
    EXPECT_EQ(counts.async_copy_shared, (SharedCounts{1, 4, 4}));
    EXPECT_EQ(counts.bulk_copy, (GlobalCounts{1, 3, 2, 0, 64}));
    EXPECT_EQ(counts.global_load, GlobalCounts{});
    const auto json = to_json(counts);
    EXPECT_EQ(json["async_copy"]["global"]["sectors"], 16);
    EXPECT_EQ(json["constant_load"]["words"], 4);
    EXPECT_EQ(json["exact"], true);
}

TEST(Counts, DrawTheAccessOfMostLanesInTheLowestBlock) {
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

TEST(Listeners, HearWhatIsCounted) {
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

TEST(Listeners, HearWhichBlockPassesABarrier) {
    struct Ear : Listener {
        std::string heard;
        void block_runs(std::uint64_t number) override { heard += std::to_string(number); }
        void block_barrier() override { heard += "b"; }
        void part_barrier() override { heard += "p"; }
        void cluster_barrier() override { heard += "c"; }
        void time_passes() override { heard += "t"; }
        void executed(std::uint64_t instructions) override { heard += "e" + std::to_string(instructions); }
    } ear;
    MadeLaunch launch(true, {&ear});
    MadeBlock first(launch.watch), second(launch.watch);
    first.watch.begin_block({0, 0, 0}, 0);
    second.watch.begin_block({1, 0, 0}, 1);
    first.watch.block_barrier();
    second.watch.part_barrier(std::array{0, 1});
    first.watch.phase_ends();
    second.watch.cluster_barrier();
    second.watch.tell_time();
    second.watch.tell_executed(7);
    EXPECT_EQ(ear.heard, "010b1p0pcte7");
}

}  // namespace
}  // namespace simt::hazards
