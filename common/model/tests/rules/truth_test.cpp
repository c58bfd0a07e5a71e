// The rules of sm_90 against the counts of an H200, case by case.

#include <gtest/gtest.h>

#include <set>

#include "hardware_table.hpp"
#include "simt/rules.hpp"

namespace simt {
namespace {

WarpAccess access_of(const HardwareCase& row) {
    WarpAccess access{};
    access.space = row.space;
    access.operation = row.operation;
    access.size = row.size;
    access.active = row.active;
    access.address = row.offsets;
    return access;
}

/// The model's counts, in the table's order.
std::vector<int> counts_of(const HardwareCase& row) {
    const Machine& machine = *find_machine("sm_90");
    if (row.space == Space::shared) return {shared_cost(access_of(row), machine).wavefronts};
    return {1, global_cost(access_of(row), machine).sectors};
}

TEST(Truth, TheModelCountsWhatTheH200Counted) {
    const HardwareTable table = read_hardware_table();
    ASSERT_GT(table.cases.size(), 1500u);
    for (const HardwareCase& row : table.cases) {
        if (table.open.contains(row.key)) EXPECT_NE(counts_of(row), row.counts) << row.key << " agrees: take it out of the open cases";
        else EXPECT_EQ(counts_of(row), row.counts) << row.key;
    }
}

TEST(Truth, EveryOpenCaseIsACaseOfTheTable) {
    const HardwareTable table = read_hardware_table();
    std::set<std::string> keys;
    for (const HardwareCase& row : table.cases) EXPECT_TRUE(keys.insert(row.key).second) << row.key << " stands twice";
    for (const std::string& key : table.open) EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(Truth, EverySpaceOperationAndSizeIsCovered) {
    std::set<std::tuple<Space, Operation, int>> kinds;
    for (const HardwareCase& row : read_hardware_table().cases) kinds.insert({row.space, row.operation, row.size});
    EXPECT_EQ(kinds.size(), 2u * 2u * 3u);
}

TEST(Truth, IdealWavefrontsNeverExceedWavefronts) {
    for (const Machine& machine : machines())
        for (const HardwareCase& row : read_hardware_table().cases) {
            if (row.space != Space::shared) continue;
            const SharedCost cost = shared_cost(access_of(row), machine);
            EXPECT_GE(cost.ideal_wavefronts, 1) << row.key;
            EXPECT_LE(cost.ideal_wavefronts, cost.wavefronts) << machine.name << ' ' << row.key;
        }
}

}  // namespace
}  // namespace simt
