// A launch's work for multiprocessors, and the distinct sectors that it touches. Its least number of cycles follows from both.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <thread>

#include "hazards/counters.hpp"
#include "hazards/touched_sectors.hpp"
#include "made_launch.hpp"

namespace simt::hazards {
namespace {

Address lanes_apart(std::uint64_t begin, std::uint64_t stride) {
    return [=](unsigned lane) { return begin + lane * stride; };
}

TEST(LaunchWork, IsThatOfAllBlocksAndOfTheLeastAndTheMost) {
    MadeLaunch launch;
    launch.run(blocks(7), [](MadeBlock& block, unsigned number) {
        // Block n stores n columns of 32 sectors, and loads a row of 4.
        for (unsigned column = 0; column < number; ++column) block.store_global(1, lanes_apart(number * 4096 + column * 4, 32));
        block.load_global(2, lanes_apart(std::uint64_t{1} << 30, 4));
        block.watch.block_barrier();
        Work arithmetic;
        arithmetic.instructions = 100 * number;
        arithmetic.double_precision = number;
        block.watch.add_work(arithmetic);
    });
    const LaunchWork work = launch.watch.take_counts().work;
    EXPECT_EQ(work.sum.stored_sectors, 32u * (0 + 1 + 2 + 3 + 4 + 5 + 6));
    EXPECT_EQ(work.sum.partly_written_lines, 8u * 21);
    EXPECT_EQ(work.least.stored_sectors, 0u);
    EXPECT_EQ(work.most.stored_sectors, 32u * 6);
    // The words of a column lie in four banks, eight in each.
    EXPECT_EQ(work.sum.wavefronts, 8u * 21 + 7);
    EXPECT_EQ(work.most.wavefronts, 8u * 6 + 1);
    EXPECT_EQ(work.least.barriers, 1u);
    EXPECT_EQ(work.sum.barriers, 7u);
    // Block n has n stores, a load, and its arithmetic.
    EXPECT_EQ(work.sum.instructions, 101u * 21 + 7);
    EXPECT_EQ(work.most.instructions, 101u * 6 + 1);
    EXPECT_EQ(work.least.double_precision, 0u);
    EXPECT_EQ(work.sum.double_precision, 21u);
    EXPECT_EQ(work.loaded_sectors, 4u) << "all blocks load the same row";
    EXPECT_EQ(work.stored_sectors, 6u * 32) << "the columns of a block share their sectors";
}

TEST(LaunchWork, OfConflictsIsTheirWavefronts) {
    MadeLaunch launch;
    launch.run(blocks(1), [](MadeBlock& block, unsigned) { block.store(1, 0, [](unsigned lane) { return lane * 16; }); });
    EXPECT_EQ(launch.watch.take_counts().work.sum.wavefronts, 4u);
}

struct CyclesOfTheL1 { std::uint64_t apart, cycles; };

// As an H200 takes, by the specimen loads_from_the_l1 of the chapter errata: the larger of the wavefronts in shared memory and a quarter of the lines.
TEST(LaunchWork, OfFloatsApartIsThatOfTheBanksAndTheLinesOfTheL1) {
    for (const auto& [apart, cycles] : std::initializer_list<CyclesOfTheL1>{
             {0, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 8}, {9, 3}, {16, 16}, {17, 5}, {24, 8}, {32, 32}, {33, 8}, {16384, 32}, {16385, 8}}) {
        MadeLaunch launch;
        launch.run(blocks(1), [&](MadeBlock& block, unsigned) {
            block.load_global(1, lanes_apart(1 << 20, 4 * apart));
            block.store_global(2, lanes_apart((1 << 20) + 31 * 4 * apart, 0 - 4 * apart));
        });
        EXPECT_EQ(launch.watch.take_counts().work.sum.wavefronts, 2 * cycles) << apart;
    }
}

// The counters remember what an instruction's last access cost.
TEST(LaunchWork, OfEvenlySpacedAccessesIsThatOfEachByTheRules) {
    std::mt19937_64 random(1);
    for (const Machine& machine : machines()) {
        Counters counters(machine, 1);
        Work expected;
        for (int n = 0; n < 5000; ++n) {
            const int size = 4 << random() % 2;
            const std::uint64_t begin = random() % 4 * 32 + random() % 2 * 28, step = random() % 3 * 60 + 4;
            const Operation operation = random() % 2 ? Operation::store : Operation::load;
            WarpAccess access = made(Space::global, operation, 0, 0, lanes_apart(begin, step), all_lanes, size);
            access.evenly_spaced = random() % 8 != 0;
            access.step = step;
            counters.count(access, 0);
            expected.wavefronts += static_cast<std::uint64_t>(l1_cycles(access, machine));
            if (access.operation == Operation::load) continue;
            expected.stored_sectors += static_cast<std::uint64_t>(global_cost(access, machine).sectors);
            expected.partly_written_lines += static_cast<std::uint64_t>(partly_written_lines(access));
        }
        EXPECT_EQ(counters.work.wavefronts, expected.wavefronts) << machine.name;
        EXPECT_EQ(counters.work.stored_sectors, expected.stored_sectors) << machine.name;
        EXPECT_EQ(counters.work.partly_written_lines, expected.partly_written_lines) << machine.name;
    }
}

TEST(LaunchWork, OfScatteredFloatsIsThatOfTheLinesOfTheL1) {
    MadeLaunch launch;
    // 16 lines, in no order.
    launch.run(blocks(1), [&](MadeBlock& block, unsigned) {
        block.load_global(1, [](unsigned lane) { return (lane * 5 % 32 / 2) * 128 + std::uint64_t{lane} % 3 * 4; });
    });
    EXPECT_EQ(launch.watch.take_counts().work.sum.wavefronts, 4u);
}

TEST(LaunchWork, OfConstantsIsThatOfLanesThatReadSeveralWords) {
    MadeLaunch launch;
    launch.run(blocks(1), [](MadeBlock& block, unsigned) {
        block.load_constant(1, [](unsigned) { return 64; });
        block.load_constant(2, lanes_apart(0, 4));
    });
    EXPECT_EQ(launch.watch.take_counts().work.sum.constant_words, 32u);
}

TEST(TouchedSectors, AreCountedOnceInEachDirection) {
    std::mt19937_64 random(3);
    TouchedSectors touched;
    SectorMarker first(touched);
    std::unique_ptr<SectorMarker> of_other_thread;
    std::thread([&] { of_other_thread = std::make_unique<SectorMarker>(touched); }).join();
    SectorMarker& second = *of_other_thread;
    std::set<std::uint64_t> loaded, stored;
    for (int n = 0; n < 2000; ++n) {
        // Many chunks, more than a marker remembers; stretches that cross sets of 64 sectors, and the border of a chunk.
        const std::uint64_t chunk = random() % 200 << TouchedSectors::chunk_shift;
        const std::uint64_t address = heap + chunk + (n % 3 == 0 ? (4 << 20) - 64 : random() % 8192 * 4), bytes = random() % 3000;
        const bool loads = n % 2 == 0;
        (n % 5 == 0 ? first : second).mark(address, bytes, loads ? TouchedSectors::loads : TouchedSectors::stores);
        for (std::uint64_t sector = address / 32; bytes > 0 && sector <= (address + bytes - 1) / 32; ++sector)
            (loads ? loaded : stored).insert(sector);
    }
    for (int n = 0; n < 500; ++n) {
        // Every third access is a row that begins before a border of sets.
        const bool is_row = n % 3 == 0;
        const std::uint64_t begin = is_row ? random() % 20'000 * 2048 + 1984 + random() % 16 * 4 : random() % 10'000'000 * 4;
        const std::uint64_t stride = is_row ? 4 : random() % 50 * 4;
        WarpAccess access = made(Space::global, Operation::load, 1, 0, lanes_apart(begin, stride));
        access.evenly_spaced = n % 2 == 0;
        access.step = stride;
        first.mark(access);
        for (std::uint64_t lane = 0; lane < 32; ++lane) loaded.insert((heap + begin + lane * stride) / 32);
    }
    EXPECT_EQ(touched.count(TouchedSectors::loads), loaded.size());
    EXPECT_EQ(touched.count(TouchedSectors::stores), stored.size());
}

}  // namespace
}  // namespace simt::hazards
