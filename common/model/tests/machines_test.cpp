// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <functional>
#include <sstream>

#include "made_access.hpp"
#include "simt/machine.hpp"

namespace simt {
namespace {

TEST(Machines, AreFoundByName)
{
    EXPECT_EQ(find_machine("gt200")->partitions, 8);
    EXPECT_EQ(find_machine("g80")->partitions, 6);
    EXPECT_EQ(find_machine("sm_91"), nullptr);
    EXPECT_EQ(machine_names(), "sm_90, fermi, gt200, g80");
    EXPECT_EQ(machines().front().name, "sm_90");
}

TEST(Machines, HaveNumbersThatTheRulesCanUse)
{
    for (const Machine& machine : machines()) {
        EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(machine.banks))) << machine.name;
        EXPECT_LE(machine.banks, 32) << machine.name;
        EXPECT_EQ(machine.bank_width, 4) << machine.name;
        EXPECT_LE(machine.default_shared_bytes, machine.max_shared_bytes) << machine.name;
        EXPECT_LE(machine.max_shared_bytes, machine.multiprocessor_shared_bytes) << machine.name;
        EXPECT_LE(machine.max_block_threads, machine.multiprocessor_threads) << machine.name;
    }
}

TEST(Machines, AreToldApartByTheirDataAndNotByTheirNames)
{
    Machine renamed = *find_machine("gt200");
    renamed.name = "sm_90";
    const auto access = made_access(Space::shared, Operation::load, 4, [](unsigned lane) { return 64 * lane; });
    EXPECT_EQ(shared_cost(access, renamed).wavefronts, 32);
    EXPECT_EQ(global_cost(access, renamed).sectors, 64);  // 8 segments of 128 bytes a half-warp
}

TEST(Machines, HoldAsManyBlocksAsThreadsSharedMemoryAndTheLimitAllow)
{
    const Machine& gt200 = *find_machine("gt200");
    EXPECT_EQ(gt200.concurrent_blocks(64, 0), 30 * 8);      // the limit of blocks
    EXPECT_EQ(gt200.concurrent_blocks(256, 0), 30 * 4);     // 1024 threads
    EXPECT_EQ(gt200.concurrent_blocks(250, 0), 30 * 4);     // whole warps
    EXPECT_EQ(gt200.concurrent_blocks(256, 4224), 30 * 3);  // 16 KiB of shared memory
    EXPECT_EQ(gt200.concurrent_blocks(512, 16 << 10), 30);
    EXPECT_EQ(find_machine("g80")->concurrent_blocks(256, 4224), 16 * 3);
}

std::string kibibytes(int bytes) { return std::to_string(bytes >> 10) + " KiB"; }

std::string partitions_of(const Machine& machine)
{
    if (!machine.partitions) return "none";
    return std::to_string(machine.partitions) + ", " + std::to_string(machine.partition_bytes) + " bytes wide";
}

/// One row of the table of machines: a heading, and what it says of each machine.
std::string row(const std::string& heading, const std::function<std::string(const Machine&)>& cell)
{
    std::string text = "| " + heading + " |";
    for (const Machine& machine : machines()) text += " " + cell(machine) + " |";
    return text + "\n";
}

std::string number_row(const std::string& heading, int Machine::* number)
{
    return row(heading, [=](const Machine& machine) { return std::to_string(machine.*number); });
}

std::string bytes_row(const std::string& heading, int Machine::* bytes)
{
    return row(heading, [=](const Machine& machine) { return kibibytes(machine.*bytes); });
}

/// The numbers of all machines as the page of the model shows them.
std::string table_of_machines()
{
    std::string rule = "|---|";
    for (std::size_t i = 0; i < machines().size(); ++i) rule += "---|";
    return row("", [](const Machine& machine) { return "`" + machine.name + "`"; }) + rule + "\n" +
           row("", [](const Machine& machine) { return machine.description; }) + number_row("banks of shared memory", &Machine::banks) +
           number_row("bytes of a bank's word", &Machine::bank_width) +
           number_row("lanes of a shared request", &Machine::shared_request_lanes) + row("partitions watched", partitions_of) +
           number_row("multiprocessors", &Machine::multiprocessors) + number_row("most threads of a block", &Machine::max_block_threads) +
           bytes_row("most shared memory of a block", &Machine::max_shared_bytes) +
           bytes_row("shared memory of a multiprocessor", &Machine::multiprocessor_shared_bytes) +
           number_row("threads of a multiprocessor", &Machine::multiprocessor_threads) +
           number_row("blocks of a multiprocessor", &Machine::multiprocessor_blocks);
}

TEST(Machines, StandInTheModelsPageAsTheyAre)
{
    std::ifstream file(SIMT_MODEL_PAGE);
    ASSERT_TRUE(file) << SIMT_MODEL_PAGE;
    std::ostringstream page;
    page << file.rdbuf();
    EXPECT_NE(page.str().find(table_of_machines()), std::string::npos) << "the page of the model should hold\n" << table_of_machines();
}

}  // namespace
}  // namespace simt
