#include <gtest/gtest.h>

#include <ostream>

#include "made_access.hpp"

namespace simt {

void PrintTo(const GlobalCost& cost, std::ostream* out) { *out << cost.sectors << " sectors, ideal " << cost.ideal_sectors; }

namespace {

template <class Address> GlobalCost load(const char* machine, int size, Address&& address, std::uint32_t active = all_lanes) {
    return global_cost(made_access(Space::global, Operation::load, size, address, active), *find_machine(machine));
}

template <class Address> GlobalCost store(const char* machine, int size, Address&& address, std::uint32_t active = all_lanes) {
    return global_cost(made_access(Space::global, Operation::store, size, address, active), *find_machine(machine));
}

unsigned column(unsigned lane) { return 8192 * lane; }

TEST(GlobalRule, ContiguousWordsMoveWhatTheyAskForOnEveryMachine) {
    for (const Machine& machine : machines())
        for (int size : {4, 8, 16}) {
            const auto contiguous = [=](unsigned lane) { return lane * static_cast<unsigned>(size); };
            EXPECT_EQ(load(machine.name.c_str(), size, contiguous), (GlobalCost{size, size})) << machine.name << ' ' << size;
            EXPECT_EQ(store(machine.name.c_str(), size, contiguous), (GlobalCost{size, size})) << machine.name << ' ' << size;
        }
}

TEST(GlobalRule, AColumnMovesALineALane) {
    EXPECT_EQ(load("sm_90", 4, column), (GlobalCost{32, 4}));
    EXPECT_EQ(load("fermi", 4, column), (GlobalCost{128, 4}));
    EXPECT_EQ(store("fermi", 4, column), (GlobalCost{32, 4}));
    EXPECT_EQ(load("gt200", 4, column), (GlobalCost{32, 4}));
    EXPECT_EQ(load("g80", 4, column), (GlobalCost{32, 4}));
}

TEST(GlobalRule, WordsThatStartOffTheirAlignment) {
    const auto shifted = [](unsigned lane) { return 4 + 4 * lane; };
    EXPECT_EQ(load("sm_90", 4, shifted).sectors, 5);
    EXPECT_EQ(load("fermi", 4, shifted).sectors, 8);
    EXPECT_EQ(store("fermi", 4, shifted).sectors, 5);
    // First half-warp: one segment of 128 bytes. Second: 64 bytes, and 32 for the last word.
    EXPECT_EQ(load("gt200", 4, shifted).sectors, 4 + 2 + 1);
    EXPECT_EQ(load("g80", 4, shifted).sectors, 32);
}

TEST(GlobalRule, OneAddressForAllLanes) {
    const auto uniform = [](unsigned) { return 64u; };
    EXPECT_EQ(load("sm_90", 4, uniform), (GlobalCost{1, 1}));
    EXPECT_EQ(load("fermi", 4, uniform), (GlobalCost{4, 1}));
    EXPECT_EQ(load("fermi", 8, uniform), (GlobalCost{8, 1}));
    EXPECT_EQ(load("gt200", 4, uniform), (GlobalCost{2, 1}));
    EXPECT_EQ(load("g80", 4, uniform), (GlobalCost{32, 1}));
}

TEST(GlobalRule, TheOrderOfLanesMattersOnG80Alone) {
    const auto reversed = [](unsigned lane) { return 4 * (31 - lane); };
    const auto mixed = [](unsigned lane) { return 4 * (lane * 7 % 32); };
    const auto half_swapped = [](unsigned lane) { return 4 * (lane ^ 16); };
    for (const char* machine : {"sm_90", "fermi", "gt200"}) {
        EXPECT_EQ(load(machine, 4, reversed).sectors, 4) << machine;
        EXPECT_EQ(load(machine, 4, half_swapped).sectors, 4) << machine;
    }
    EXPECT_EQ(load("sm_90", 4, mixed), (GlobalCost{4, 4}));
    EXPECT_EQ(load("fermi", 4, mixed), (GlobalCost{4, 4}));
    EXPECT_EQ(load("g80", 4, reversed).sectors, 32);
    EXPECT_EQ(load("g80", 4, half_swapped).sectors, 4);
}

TEST(GlobalRule, SegmentsShrinkToTheHalfThatIsUsedOnGt200) {
    const auto contiguous_from = [](unsigned start) { return [=](unsigned lane) { return start + 4 * lane; }; };
    EXPECT_EQ(load("gt200", 4, contiguous_from(0), 0x00FF).sectors, 1);
    EXPECT_EQ(load("gt200", 4, contiguous_from(96), 0x00FF).sectors, 1);
    EXPECT_EQ(load("gt200", 4, contiguous_from(16), 0x00FF).sectors, 2);   // bytes 16 to 47: 64 bytes
    EXPECT_EQ(load("gt200", 4, contiguous_from(48), 0x00FF).sectors, 4);   // bytes 48 to 79: both halves of 128
    EXPECT_EQ(load("gt200", 4, contiguous_from(112), 0x00FF).sectors, 2);  // bytes 112 to 143: 32 of each segment
    // Narrow words start from smaller segments.
    EXPECT_EQ(load("gt200", 1, [](unsigned lane) { return lane; }), (GlobalCost{2, 1}));
    EXPECT_EQ(load("gt200", 2, [](unsigned lane) { return 2 * lane; }), (GlobalCost{2, 2}));
    EXPECT_EQ(load("gt200", 2, [](unsigned lane) { return 64 + 4 * lane; }, 0xFFFF).sectors, 2);
    EXPECT_EQ(load("gt200", 1, [](unsigned lane) { return 4 * lane; }, 0xFFFF).sectors, 2);
}

TEST(GlobalRule, G80MovesWholeSegmentsOrATransactionALane) {
    const auto contiguous = [](unsigned lane) { return 4 * lane; };
    EXPECT_EQ(load("g80", 4, contiguous, 0b100).sectors, 2);
    EXPECT_EQ(load("g80", 4, contiguous, 0xFFFF0000).sectors, 2);
    EXPECT_EQ(load("g80", 4, [](unsigned lane) { return 4 * (lane ^ 1); }, 0b11).sectors,
              2);  // two transactions of 32
    EXPECT_EQ(load("g80", 4, [](unsigned lane) { return 4 * (lane ^ 1); }, 0b111).sectors, 3);
    EXPECT_EQ(load("g80", 1, [](unsigned lane) { return lane; }).sectors, 32);
    EXPECT_EQ(load("g80", 16, [](unsigned lane) { return 128 + 16 * lane; }).sectors, 16);
    EXPECT_EQ(load("g80", 8, [](unsigned lane) { return 64 + 8 * lane; }).sectors, 32);
}

TEST(GlobalRule, LinesArePartlyWrittenWhereAStoreLeavesOutBytesOfASector) {
    const auto lines = [](int size, auto&& address, std::uint32_t active = all_lanes) {
        return partly_written_lines(made_access(Space::global, Operation::store, size, address, active));
    };
    const auto from = [](unsigned start, unsigned step) { return [=](unsigned lane) { return start + step * lane; }; };
    EXPECT_EQ(lines(4, from(4096, 4)), 0);
    EXPECT_EQ(lines(4, from(4096 + 32, 4)), 0);
    EXPECT_EQ(lines(4, from(4096 + 4, 4)), 2);  // the first sector and the last
    EXPECT_EQ(lines(2, from(4096 + 4, 2)), 1);  // both in one line
    EXPECT_EQ(lines(4, column), 32);
    EXPECT_EQ(lines(4, from(4096, 8)), 2);    // all sectors, of two lines
    EXPECT_EQ(lines(16, from(4096, 32)), 8);  // half of each sector
    EXPECT_EQ(lines(4, from(4096, 0)), 1);
    EXPECT_EQ(lines(4, from(4096, 4), 0xFF), 0);
    EXPECT_EQ(lines(4, from(4096, 4), 0x7F), 1);
    EXPECT_EQ(lines(4, from(4096, 4), 0), 0);
    EXPECT_EQ(lines(4, [](unsigned lane) { return 4096 + 4 * (31 - lane); }), 0);
    EXPECT_EQ(lines(4, [](unsigned lane) { return 4096 + 4 * (lane ^ 1); }), 0);
    EXPECT_EQ(lines(4, [](unsigned lane) { return 4096 + 128 * (lane * 7 % 32); }), 32);
    EXPECT_EQ(lines(8, [](unsigned lane) { return 4096 + 8 * (lane / 2); }), 0);
}

}  // namespace
}  // namespace simt
