#include <gtest/gtest.h>

#include <numeric>
#include <ostream>

#include "made_access.hpp"

namespace simt {

void PrintTo(const SharedCost& cost, std::ostream* out) { *out << cost.wavefronts << " wavefronts, ideal " << cost.ideal_wavefronts; }

namespace {

template <class Address> SharedCost shared_load(const char* machine, int size, Address&& address, std::uint32_t active = all_lanes) {
    return shared_cost(made_access(Space::shared, Operation::load, size, address, active), *find_machine(machine));
}

template <class Address> SharedCost shared_store(const char* machine, int size, Address&& address, std::uint32_t active = all_lanes) {
    return shared_cost(made_access(Space::shared, Operation::store, size, address, active), *find_machine(machine));
}

TEST(SharedRule, EachStrideConflictsByItsCommonDivisorWithTheBanks) {
    for (unsigned stride = 1; stride <= 33; ++stride) {
        const auto words = [=](unsigned lane) { return 4 * stride * lane; };
        const int of_32 = static_cast<int>(std::gcd(stride, 32u)), of_16 = static_cast<int>(std::gcd(stride, 16u));
        EXPECT_EQ(shared_load("sm_90", 4, words), (SharedCost{of_32, 1})) << "stride " << stride;
        EXPECT_EQ(shared_load("fermi", 4, words), (SharedCost{of_32, 1})) << "stride " << stride;
        EXPECT_EQ(shared_load("gt200", 4, words), (SharedCost{2 * of_16, 2})) << "stride " << stride;
        EXPECT_EQ(shared_store("g80", 4, words), (SharedCost{2 * of_16, 2})) << "stride " << stride;
    }
}

// A warp of a block of 16x16 threads reads two columns of a tile of 16 rows.
TEST(SharedRule, PaddingAColumnOfATileOf16NeedsTwoWordsOn32BanksAndOneOn16) {
    const auto columns_of = [](unsigned padding) { return [=](unsigned lane) { return 4 * (lane % 16 * (16 + padding) + lane / 16); }; };
    const int of_32[] = {8, 2, 1}, of_16[] = {16, 1, 2};
    for (unsigned padding = 0; padding <= 2; ++padding) {
        EXPECT_EQ(shared_load("sm_90", 4, columns_of(padding)), (SharedCost{of_32[padding], 1})) << padding;
        EXPECT_EQ(shared_load("fermi", 4, columns_of(padding)), (SharedCost{of_32[padding], 1})) << padding;
        EXPECT_EQ(shared_load("gt200", 4, columns_of(padding)), (SharedCost{2 * of_16[padding], 2})) << padding;
        EXPECT_EQ(shared_load("g80", 4, columns_of(padding)), (SharedCost{2 * of_16[padding], 2})) << padding;
    }
}

TEST(SharedRule, AColumnOfATileOf32RowsAnd33ColumnsIsFreeOnEveryMachine) {
    for (const Machine& machine : machines()) {
        const SharedCost cost = shared_load(machine.name.c_str(), 4, [](unsigned lane) { return 4 * 33 * lane; });
        EXPECT_EQ(cost.wavefronts, cost.ideal_wavefronts) << machine.name;
    }
}

TEST(SharedRule, LanesThatShareAWordDoNotConflictOn32Banks) {
    for (const char* machine : {"sm_90", "fermi"}) {
        EXPECT_EQ(shared_load(machine, 4, [](unsigned) { return 128u; }).wavefronts, 1);
        EXPECT_EQ(shared_load(machine, 4, [](unsigned lane) { return 4 * (lane / 2); }).wavefronts, 1);
        EXPECT_EQ(shared_load(machine, 1, [](unsigned lane) { return lane; }).wavefronts, 1);
        EXPECT_EQ(shared_load(machine, 4, [](unsigned lane) { return lane % 2 ? 0u : 128u; }).wavefronts, 2);
    }
}

TEST(SharedRule, OnlyActiveLanesCount) {
    const auto rows = [](unsigned lane) { return 128 * lane; };
    EXPECT_EQ(shared_load("sm_90", 4, rows, 0b1).wavefronts, 1);
    EXPECT_EQ(shared_load("sm_90", 4, rows, 0b10101).wavefronts, 3);
    EXPECT_EQ(shared_load("sm_90", 16, [](unsigned lane) { return 16 * lane; }, 0xFF), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("gt200", 4, rows, 0xFFFF), (SharedCost{16, 1}));
}

TEST(SharedRule, WideAccessesTakeOneWavefrontAPhase) {
    for (const char* machine : {"sm_90", "fermi"})
        EXPECT_EQ(shared_load(machine, 8, [](unsigned lane) { return 8 * lane; }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 16, [](unsigned lane) { return 16 * lane; }), (SharedCost{4, 4}));
    EXPECT_EQ(shared_store("sm_90", 16, [](unsigned lane) { return 16 * lane; }), (SharedCost{4, 4}));
}

TEST(SharedRule, FermiAddsOneToTheWaysOfA16ByteAccess) {
    EXPECT_EQ(shared_load("fermi", 16, [](unsigned lane) { return 16 * lane; }), (SharedCost{8, 4}));
    EXPECT_EQ(shared_load("fermi", 16, [](unsigned lane) { return 128 * lane; }), (SharedCost{4 * 9, 4}));
}

TEST(SharedRule, PhasesOfAWideLoadMergeWherePairedLanesReadTheSame) {
    const auto pairs = [](unsigned lane) { return lane / 2; };
    const auto two_apart = [](unsigned lane) { return lane / 4 * 2 + lane % 2; };
    EXPECT_EQ(shared_load("sm_90", 8, [&](unsigned lane) { return 8 * pairs(lane); }), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("sm_90", 8, [&](unsigned lane) { return 8 * two_apart(lane); }), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("sm_90", 16, [&](unsigned lane) { return 16 * pairs(lane); }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 16, [&](unsigned lane) { return 16 * two_apart(lane); }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 16, [](unsigned) { return 0u; }), (SharedCost{2, 2}));
    // Each lane has a partner that reads the same, but not all at the same distance.
    EXPECT_EQ(shared_load("sm_90", 8, [&](unsigned lane) { return 8 * (lane < 16 ? pairs(lane) : two_apart(lane)); }), (SharedCost{2, 2}));
    // The halves of a 16-byte load are judged apart.
    EXPECT_EQ(shared_load("sm_90", 16, [&](unsigned lane) { return 16 * (lane < 16 ? pairs(lane) : lane); }), (SharedCost{3, 3}));
}

TEST(SharedRule, WithLane31InactiveTheLowerHalfOfA16ByteLoadMergesHoweverItsLanesRead) {
    const auto reversed_rows = [](unsigned lane) { return 16 * (7 - lane % 8); };
    const std::uint32_t all_but_last = all_lanes >> 1;
    EXPECT_EQ(shared_load("sm_90", 16, reversed_rows), (SharedCost{4, 4}));
    EXPECT_EQ(shared_load("sm_90", 16, reversed_rows, all_but_last), (SharedCost{3, 3}));
    EXPECT_EQ(shared_load("sm_90", 16, reversed_rows, 0xFFFF), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("sm_90", 16, reversed_rows, 0xFFFF0000), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 8, [](unsigned lane) { return 8 * (15 - lane % 16); }, all_but_last), (SharedCost{2, 2}));
}

TEST(SharedRule, WithLane31ActiveTheLowerHalfOfA16ByteLoadMergesOnlyWherePartnersAreActiveToo) {
    const auto two_elements = [](unsigned lane) { return lane / 16 * 16; };
    const std::uint32_t last = 0x80000000;
    EXPECT_EQ(shared_load("sm_90", 16, two_elements, last | 0x0303), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 16, two_elements, last | 0x0301), (SharedCost{3, 3}));
    EXPECT_EQ(shared_load("sm_90", 16, two_elements, last >> 1 | 0x0301), (SharedCost{2, 2}));
}

TEST(SharedRule, A16ByteLoadOfOneAddressTakesAWavefrontFor16Lanes) {
    const auto same = [](unsigned) { return 64u; };
    EXPECT_EQ(shared_load("sm_90", 16, same, 0x80000001), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("sm_90", 16, same, 0x55555555), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load("sm_90", 16, same, 0x55555557), (SharedCost{2, 2}));
    EXPECT_EQ(shared_load("sm_90", 16, same), (SharedCost{2, 2}));
}

TEST(SharedRule, PhasesThatConflictDoNotMerge) {
    EXPECT_EQ(shared_load("sm_90", 8, [](unsigned lane) { return lane % 2 ? 0u : 1024u; }), (SharedCost{4, 1}));
    EXPECT_EQ(shared_load("sm_90", 8, [](unsigned lane) { return lane / 16 ? 0u : 1024u; }), (SharedCost{2, 1}));
}

TEST(SharedRule, StoresDoNotMerge) {
    EXPECT_EQ(shared_store("sm_90", 8, [](unsigned) { return 0u; }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_store("sm_90", 16, [](unsigned) { return 0u; }), (SharedCost{4, 4}));
    EXPECT_EQ(shared_load("fermi", 8, [](unsigned) { return 0u; }), (SharedCost{2, 2}));
}

TEST(SharedRule, OneWordAStepIsBroadcastOn16Banks) {
    EXPECT_EQ(shared_load("gt200", 4, [](unsigned) { return 0u; }), (SharedCost{2, 2}));
    // Each step serves all lanes of one word and one lane of every other: 8 words of 2 lanes need 2 steps a half-warp,
    // 4 words of 4 lanes need 4.
    EXPECT_EQ(shared_load("gt200", 4, [](unsigned lane) { return 4 * (lane / 2); }), (SharedCost{4, 2}));
    EXPECT_EQ(shared_load("gt200", 4, [](unsigned lane) { return 4 * (lane / 4); }), (SharedCost{8, 2}));
    // The guide's example of a conflict between the bytes of one word.
    EXPECT_EQ(shared_load("gt200", 1, [](unsigned lane) { return lane; }), (SharedCost{8, 2}));
    EXPECT_EQ(shared_load("gt200", 2, [](unsigned lane) { return 2 * lane; }), (SharedCost{4, 2}));
    // Two words of one bank.
    EXPECT_EQ(shared_load("gt200", 4, [](unsigned lane) { return lane % 2 ? 0u : 64u; }), (SharedCost{4, 2}));
}

TEST(SharedRule, OfLanesThatStoreToOneAddressOneDoesOn16Banks) {
    EXPECT_EQ(shared_store("gt200", 4, [](unsigned) { return 0u; }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_store("gt200", 4, [](unsigned lane) { return 4 * (lane / 4); }), (SharedCost{2, 2}));
    EXPECT_EQ(shared_store("gt200", 1, [](unsigned lane) { return lane; }), (SharedCost{8, 2}));
}

TEST(SharedRule, WideAccessesAreSplitIntoWordsOn16Banks) {
    EXPECT_EQ(shared_load("gt200", 8, [](unsigned lane) { return 8 * lane; }), (SharedCost{8, 4}));
    EXPECT_EQ(shared_store("g80", 16, [](unsigned lane) { return 16 * lane; }), (SharedCost{32, 8}));
}

Machine made_up(int banks, int bank_width, int request_lanes) {
    Machine machine = *find_machine("fermi");
    machine.shared = {banks, bank_width, request_lanes, SharedWords::multicast, WideShared::phases, 0};
    return machine;
}

template <class Address> SharedCost shared_load(const Machine& machine, int size, Address&& address, std::uint32_t active = all_lanes) {
    return shared_cost(made_access(Space::shared, Operation::load, size, address, active), machine);
}

TEST(SharedRule, HoldsForAnyNumberOfBanks) {
    const auto words = [](unsigned stride) { return [=](unsigned lane) { return 4 * stride * lane; }; };
    // 32 lanes have 32 words, 24 of them at a time.
    EXPECT_EQ(shared_load(made_up(24, 4, 32), 4, words(1)), (SharedCost{2, 2}));
    // A stride of 32 words meets 24 / gcd(32, 24) = 3 banks.
    EXPECT_EQ(shared_load(made_up(24, 4, 32), 4, words(32)), (SharedCost{11, 2}));
    EXPECT_EQ(shared_load(made_up(24, 4, 24), 4, words(32)), (SharedCost{8 + 3, 2}));
    EXPECT_EQ(shared_load(made_up(7, 4, 32), 4, words(14)), (SharedCost{32, 5}));
    EXPECT_EQ(shared_load(made_up(1, 4, 32), 4, words(1)), (SharedCost{32, 32}));
}

TEST(SharedRule, APhaseHasAsManyLanesAsTheBanksHoldElements) {
    const auto row = [](unsigned size) { return [=](unsigned lane) { return size * lane; }; };
    EXPECT_EQ(shared_load(made_up(32, 8, 32), 8, row(8)), (SharedCost{1, 1}));
    EXPECT_EQ(shared_load(made_up(32, 8, 32), 16, row(16)), (SharedCost{2, 2}));
    // 64 banks have room for 16 bytes of 16 lanes.
    EXPECT_EQ(shared_load(made_up(64, 4, 32), 16, row(16)), (SharedCost{2, 2}));
    // 24 banks have room for 6 of them: five phases of 6 lanes, and one of 2.
    EXPECT_EQ(shared_load(made_up(24, 4, 32), 16, row(16)), (SharedCost{6, 6}));
    // Two banks have room for half of a lane's bytes.
    EXPECT_EQ(shared_load(made_up(2, 4, 32), 16, row(16), 0b1), (SharedCost{2, 2}));
    // A word of 3 bytes: 4 bytes touch two or three words.
    EXPECT_EQ(shared_load(made_up(32, 3, 32), 4, row(4), 0b1), (SharedCost{1, 1}));
}

TEST(SharedRule, WordsThatFillTheBanksTwiceDoNotMerge) {
    // With lane 31 inactive the lower half could merge, but its 64 words do not fit 32 banks. That is no conflict.
    EXPECT_EQ(shared_load("sm_90", 16, [](unsigned lane) { return 16 * lane; }, all_lanes >> 1), (SharedCost{4, 4}));
}

}  // namespace
}  // namespace simt
