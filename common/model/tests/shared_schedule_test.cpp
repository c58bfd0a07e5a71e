// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "hardware_table.hpp"
#include "made_access.hpp"

namespace simt {

void PrintTo(const ServedWord& served, std::ostream* out) { *out << "lane " << served.lane << " word " << served.word; }

namespace {

/// What must be true of every schedule: as many wavefronts as are counted, each free of conflicts, and every word that a
/// lane asked for served once. Stores to one address are left to the test that names them.
void expect_sound(const WarpAccess& access, const Machine& machine, const std::string& what)
{
    const auto schedule = shared_schedule(access, machine);
    EXPECT_EQ(schedule.size(), static_cast<std::size_t>(shared_cost(access, machine).wavefronts)) << machine.name << ' ' << what;
    std::set<std::pair<int, std::uint64_t>> served;
    for (const Wavefront& wavefront : schedule) {
        std::map<std::uint64_t, std::uint64_t> word_of_bank;
        for (const auto& [lane, word] : wavefront) {
            EXPECT_TRUE(served.insert({lane, word}).second) << machine.name << ' ' << what << ": twice";
            const auto bank = word % static_cast<std::uint64_t>(machine.banks);
            EXPECT_EQ(word_of_bank.try_emplace(bank, word).first->second, word) << machine.name << ' ' << what << ": two words of a bank";
        }
    }
    std::set<std::pair<int, std::uint64_t>> wanted;
    for (int lane = 0; lane < warp_size; ++lane)
        for (int byte = 0; byte < access.size; ++byte)
            if (access.active >> lane & 1)
                wanted.insert({lane, (access.address[static_cast<std::size_t>(lane)] + static_cast<std::uint64_t>(byte)) / 4});
    EXPECT_EQ(served, wanted) << machine.name << ' ' << what;
}

bool stores_twice_to_an_address(const WarpAccess& access)
{
    std::set<std::uint64_t> addresses;
    for (int lane = 0; lane < warp_size; ++lane)
        if (access.active >> lane & 1 && !addresses.insert(access.address[static_cast<std::size_t>(lane)]).second)
            return access.operation == Operation::store;
    return false;
}

TEST(SharedSchedule, HasTheWavefrontsThatAreCountedForEveryAccessOfTheHardwareTable)
{
    int tried = 0;
    for (const HardwareCase& one : read_hardware_table().cases) {
        if (one.space != Space::shared) continue;
        const WarpAccess access =
            made_access(one.space, one.operation, one.size, [&](unsigned lane) { return one.offsets[lane]; }, one.active);
        for (const Machine& machine : machines())
            if (machine.shared_words == SharedWords::multicast || !stores_twice_to_an_address(access))
                expect_sound(access, machine, one.key), ++tried;
    }
    EXPECT_GT(tried, 3000);
}

TEST(SharedSchedule, HasTheWavefrontsThatAreCountedForRandomAccesses)
{
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
            if (machine.shared_words == SharedWords::multicast || !stores_twice_to_an_address(access))
                expect_sound(access, machine, "random " + std::to_string(i));
    }
}

TEST(SharedSchedule, ServesTheWordsOfABankInTheOrderOfTheirLanes)
{
    const auto column = made_access(Space::shared, Operation::load, 4, [](unsigned lane) { return 128 * lane; });
    const auto schedule = shared_schedule(column, *find_machine("sm_90"));
    ASSERT_EQ(schedule.size(), 32u);
    for (int lane = 0; lane < warp_size; ++lane)
        EXPECT_EQ(schedule[static_cast<std::size_t>(lane)], (Wavefront{{lane, static_cast<std::uint64_t>(32 * lane)}}));
}

TEST(SharedSchedule, OfLanesThatStoreToOneAddressTheFirstIsServedOnOldMachines)
{
    const auto same = made_access(Space::shared, Operation::store, 4, [](unsigned) { return std::uint64_t{4}; });
    EXPECT_EQ(shared_schedule(same, *find_machine("gt200")), (std::vector<Wavefront>{{{0, 1}}, {{16, 1}}}));
    EXPECT_EQ(shared_schedule(same, *find_machine("sm_90")).front().size(), 32u);
}

}  // namespace
}  // namespace simt
