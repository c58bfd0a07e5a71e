#include "simt/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "hardware_table.hpp"
#include "made_access.hpp"

namespace simt {

void PrintTo(const ServedWord& served, std::ostream* out) { *out << "lane " << served.lane << " word " << served.word; }

namespace {

using Words = std::set<std::pair<int, std::uint64_t>>;

/// Each lane with each word that it asks for.
Words words_of(const WarpAccess& access, const SharedMemory& memory) {
    Words wanted;
    for (int lane = 0; lane < warp_size; ++lane)
        for (int byte = 0; byte < access.size; ++byte)
            if (access.active >> lane & 1)
                wanted.insert({lane, (access.address[static_cast<std::size_t>(lane)] + static_cast<std::uint64_t>(byte)) /
                                         static_cast<std::uint64_t>(memory.bank_width)});
    return wanted;
}

std::string name_of(const SharedMemory& memory) {
    return std::to_string(memory.banks) + " banks of " + std::to_string(memory.bank_width) + " bytes, requests of " +
           std::to_string(memory.request_lanes) + " lanes";
}

/// Checks the properties of every schedule: as many wavefronts as are counted, each free of conflicts, and every word that a lane asked for
/// served once. Stores to one address are left to the test that names them.
void expect_sound(const WarpAccess& access, const Machine& machine, const std::string& what) {
    const SharedMemory& memory = machine.shared;
    const std::string where = name_of(memory) + ": " + what;
    const Schedule schedule = shared_schedule(access, memory);
    EXPECT_EQ((SharedCost{static_cast<int>(schedule.wavefronts.size()), schedule.ideal_wavefronts}), shared_cost(access, machine)) << where;
    Words served;
    for (const Wavefront& wavefront : schedule.wavefronts) {
        std::map<std::uint64_t, std::uint64_t> word_of_bank;
        for (const auto& [lane, word] : wavefront) {
            EXPECT_TRUE(served.insert({lane, word}).second) << where << ": twice";
            const auto bank = word % static_cast<std::uint64_t>(memory.banks);
            EXPECT_EQ(word_of_bank.try_emplace(bank, word).first->second, word) << where << ": two words of a bank";
        }
    }
    EXPECT_EQ(served, words_of(access, memory)) << where;
}

bool stores_twice_to_an_address(const WarpAccess& access) {
    std::set<std::uint64_t> addresses;
    for (int lane = 0; lane < warp_size; ++lane)
        if (access.active >> lane & 1 && !addresses.insert(access.address[static_cast<std::size_t>(lane)]).second)
            return access.operation == Operation::store;
    return false;
}

TEST(SharedSchedule, HasTheWavefrontsThatAreCountedForEveryAccessOfTheHardwareTable) {
    int tried = 0;
    for (const HardwareCase& one : read_hardware_table().cases) {
        if (one.space != Space::shared) continue;
        const WarpAccess access =
            made_access(one.space, one.operation, one.size, [&](unsigned lane) { return one.offsets[lane]; }, one.active);
        for (const Machine& machine : machines())
            if (machine.shared.words == SharedWords::multicast || !stores_twice_to_an_address(access))
                expect_sound(access, machine, one.key), ++tried;
    }
    EXPECT_GT(tried, 3000);
}

TEST(SharedSchedule, HasTheWavefrontsThatAreCountedForRandomAccesses) {
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        const int size = 1 << random() % 5;
        const unsigned range = 1u << random() % 9;
        const auto active = static_cast<std::uint32_t>(random()) | 1u;
        const auto operation = random() % 2 ? Operation::load : Operation::store;
        const WarpAccess access = made_access(
            Space::shared, operation, size, [&](unsigned) { return std::uint64_t{random() % range} * static_cast<unsigned>(size); },
            active);
        for (const Machine& machine : machines())
            if (machine.shared.words == SharedWords::multicast || !stores_twice_to_an_address(access))
                expect_sound(access, machine, "random " + std::to_string(i));
    }
}

TEST(SharedSchedule, ServesTheWordsOfABankInTheOrderOfTheirLanes) {
    const auto column = made_access(Space::shared, Operation::load, 4, [](unsigned lane) { return 128 * lane; });
    const auto schedule = shared_schedule(column, find_machine("sm_90")->shared).wavefronts;
    ASSERT_EQ(schedule.size(), 32u);
    for (int lane = 0; lane < warp_size; ++lane)
        EXPECT_EQ(schedule[static_cast<std::size_t>(lane)], (Wavefront{{lane, static_cast<std::uint64_t>(32 * lane)}}));
}

TEST(SharedSchedule, OfLanesThatStoreToOneAddressTheFirstIsServedOnOldMachines) {
    const auto same = made_access(Space::shared, Operation::store, 4, [](unsigned) { return std::uint64_t{4}; });
    EXPECT_EQ(shared_schedule(same, find_machine("gt200")->shared).wavefronts, (std::vector<Wavefront>{{{0, 1}}, {{16, 1}}}));
    EXPECT_EQ(shared_schedule(same, find_machine("sm_90")->shared).wavefronts.front().size(), 32u);
}

/// Requests of whole words, one after the other: each takes as many wavefronts as its fullest bank has words.
SharedCost plain_cost(const WarpAccess& access, const SharedMemory& memory) {
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += memory.request_lanes) {
        std::map<std::uint64_t, std::set<std::uint64_t>> of_bank;
        std::set<std::uint64_t> words;
        for (const auto& [lane, word] : words_of(access, memory))
            if (lane >= first && lane < first + memory.request_lanes)
                of_bank[word % static_cast<std::uint64_t>(memory.banks)].insert(word), words.insert(word);
        std::size_t fullest = 0;
        for (const auto& [bank, in_bank] : of_bank) fullest = std::max(fullest, in_bank.size());
        if (words.empty()) continue;
        cost.wavefronts += static_cast<int>(fullest) + (access.size == 16 ? memory.extra_wavefronts_of_16_bytes : 0);
        cost.ideal_wavefronts += (static_cast<int>(words.size()) + memory.banks - 1) / memory.banks;
    }
    return cost;
}

TEST(SharedSchedule, FollowsTheRuleOnMachinesOfAnyBanksWidthsAndRequests) {
    std::mt19937 random(2);
    for (int i = 0; i < 5000; ++i) {
        Machine machine = *find_machine("fermi");
        machine.shared = some_memory(random);
        const int size = 1 << random() % 5;
        const unsigned range = 1u << random() % 9;
        const auto active = static_cast<std::uint32_t>(random()) | 1u;
        const WarpAccess access = made_access(
            Space::shared, Operation::load, size, [&](unsigned) { return std::uint64_t{random() % range} * static_cast<unsigned>(size); },
            active);
        expect_sound(access, machine, "random " + std::to_string(i));
        if (size <= machine.shared.bank_width) {
            EXPECT_EQ(shared_cost(access, machine), plain_cost(access, machine.shared)) << i;
        }
    }
}

TEST(SharedSchedule, ServesAtomicOperationsLaneByLane) {
    WarpAccess access = made_access(Space::shared, Operation::atomic, 4, [](unsigned lane) { return std::uint64_t{lane % 2 * 4}; }, 0b1111);
    const SharedMemory& memory = find_machine("sm_90")->shared;
    EXPECT_EQ(shared_schedule(access, memory).wavefronts, (std::vector<Wavefront>{{{0, 0}, {1, 1}}, {{2, 0}, {3, 1}}}));
    access.atomic = AtomicKind::compare_and_swap;
    EXPECT_EQ(shared_schedule(access, memory).wavefronts, (std::vector<Wavefront>{{{0, 0}, {1, 1}}, {}, {{2, 0}, {3, 1}}, {}}));
}

}  // namespace
}  // namespace simt
