// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <bit>

#include "made_access.hpp"
#include "simt/machine.hpp"

namespace simt {
namespace {

TEST(Machines, AreFoundByName) {
    EXPECT_EQ(find_machine("gt200")->partitions, 8);
    EXPECT_EQ(find_machine("g80")->partitions, 6);
    EXPECT_EQ(find_machine("sm_91"), nullptr);
    EXPECT_EQ(machine_names(), "sm_90, fermi, gt200, g80");
    EXPECT_EQ(machines().front().name, "sm_90");
}

TEST(Machines, HaveNumbersThatTheRulesCanUse) {
    for (const Machine& machine : machines()) {
        EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(machine.banks))) << machine.name;
        EXPECT_LE(machine.banks, 32) << machine.name;
        EXPECT_EQ(machine.bank_width, 4) << machine.name;
        EXPECT_LE(machine.default_shared_bytes, machine.max_shared_bytes) << machine.name;
        EXPECT_LE(machine.max_shared_bytes, machine.multiprocessor_shared_bytes) << machine.name;
        EXPECT_LE(machine.max_block_threads, machine.multiprocessor_threads) << machine.name;
    }
}

TEST(Machines, AreToldApartByTheirDataAndNotByTheirNames) {
    Machine renamed = *find_machine("gt200");
    renamed.name = "sm_90";
    const auto access = made_access(Space::shared, Operation::load, 4, [](unsigned lane) { return 64 * lane; });
    EXPECT_EQ(shared_cost(access, renamed).wavefronts, 32);
    EXPECT_EQ(global_cost(access, renamed).sectors, 64);  // 8 segments of 128 bytes a half-warp
}

TEST(Machines, HoldAsManyBlocksAsThreadsSharedMemoryAndTheLimitAllow) {
    const Machine& gt200 = *find_machine("gt200");
    EXPECT_EQ(gt200.concurrent_blocks(64, 0), 30 * 8);      // the limit of blocks
    EXPECT_EQ(gt200.concurrent_blocks(256, 0), 30 * 4);     // 1024 threads
    EXPECT_EQ(gt200.concurrent_blocks(250, 0), 30 * 4);     // whole warps
    EXPECT_EQ(gt200.concurrent_blocks(256, 4224), 30 * 3);  // 16 KiB of shared memory
    EXPECT_EQ(gt200.concurrent_blocks(512, 16 << 10), 30);
    EXPECT_EQ(find_machine("g80")->concurrent_blocks(256, 4224), 16 * 3);
}

}  // namespace
}  // namespace simt
