#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "made_access.hpp"
#include "simt/machine.hpp"

namespace simt {
namespace {

TEST(Machines, AreFoundByName) {
    EXPECT_EQ(find_machine("gt200")->partitions, 8);
    EXPECT_EQ(find_machine("g80")->partitions, 6);
    EXPECT_EQ(find_machine("sm_91"), nullptr);
    EXPECT_TRUE(machine_names().starts_with("sm_90, sm_75, ")) << machine_names();
    for (const Machine& machine : machines()) EXPECT_EQ(find_machine(machine.name), &machine);
}

std::string why(const Machine& machine) {
    const auto impossible = why_impossible(machine);
    return impossible ? to_text(*impossible) : "";
}

// The bound of Python divides by these numbers.
TEST(Machines, HaveTheMultiprocessorsAndTheL2OfTheRates) {
    std::ifstream file(SIMT_RATES);
    const auto rates = nlohmann::json::parse(file);
    const Machine* machine = find_machine(rates.at("machine").get<std::string>());
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->multiprocessors, rates.at("multiprocessors"));
    EXPECT_EQ(machine->l2_bytes, rates.at("l2_bytes"));
}

TEST(Machines, ArePossible) {
    for (const Machine& machine : machines()) EXPECT_EQ(why(machine), "") << machine.name;
}

/// A machine of the table after a change.
Machine changed(const char* name, const std::function<void(Machine&)>& change) {
    Machine machine = *find_machine(name);
    change(machine);
    return machine;
}

TEST(Machines, ThatCannotBeAreRefusedInALine) {
    const auto fermi = [](auto change) { return why(changed("fermi", change)); };
    EXPECT_EQ(fermi([](Machine& m) { m.shared.banks = 0; }), "banks of shared memory: got 0, accepted: 1 to 64");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.banks = 65; }), "banks of shared memory: got 65, accepted: 1 to 64");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.bank_width = 17; }), "bytes of a bank's word: got 17, accepted: 1 to 16");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.bank_width = -4; }), "bytes of a bank's word: got -4, accepted: 1 to 16");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.request_lanes = 33; }), "lanes of a shared request: got 33, accepted: 1 to 32");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.request_lanes = 0; }), "lanes of a shared request: got 0, accepted: 1 to 32");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.extra_wavefronts_of_16_bytes = -1; }),
              "extra wavefronts of 16 bytes: got -1, accepted: 0 or more");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.wide = WideShared::split_into_words; }),
              "rule of wide accesses: got 2, accepted: 0 (phases), 1 (merging_phases)");
    EXPECT_EQ(fermi([](Machine& m) { m.shared.words = static_cast<SharedWords>(2); }),
              "rule of shared words: got 2, accepted: 0 (multicast), 1 (one_broadcast)");
    EXPECT_EQ(fermi([](Machine& m) { m.load_line_bytes = 48; }), "bytes of a line that is loaded: got 48, accepted: a multiple of 32");
    EXPECT_EQ(fermi([](Machine& m) { m.store_line_bytes = 0; }), "bytes of a line that is stored: got 0, accepted: a multiple of 32");
    EXPECT_EQ(fermi([](Machine& m) { m.line_request_lanes = 33; }), "lanes of a global request: got 33, accepted: 0 to 32");
    EXPECT_EQ(fermi([](Machine& m) { m.multiprocessors = 0; }), "multiprocessors: got 0, accepted: 1 or more");
    EXPECT_EQ(fermi([](Machine& m) { m.multiprocessor_blocks = 0; }), "blocks of a multiprocessor: got 0, accepted: 1 or more");
    EXPECT_EQ(fermi([](Machine& m) { m.max_block_threads = 2048; }),
              "most threads of a block: got 2048, accepted: 1 to the threads of a multiprocessor");
    EXPECT_EQ(fermi([](Machine& m) { m.max_shared_bytes = 1 << 20; }),
              "most shared memory of a block: got 1048576, accepted: 1 to the shared memory of a multiprocessor");
    EXPECT_EQ(fermi([](Machine& m) { m.default_shared_bytes = 0; }),
              "shared memory of a block without asking: got 0, accepted: 1 to the most shared memory of a block");
}

TEST(Machines, WhosePhasesMergeAreThoseThatWereMeasured) {
    const auto hopper = [](auto change) { return why(changed("sm_90", change)); };
    EXPECT_EQ(hopper([](Machine& m) { m.shared.banks = 24; }), "banks of shared memory where phases merge: got 24, accepted: 32");
    EXPECT_EQ(hopper([](Machine& m) { m.shared.bank_width = 8; }), "bytes of a bank's word where phases merge: got 8, accepted: 4");
    EXPECT_EQ(hopper([](Machine& m) { m.shared.request_lanes = 16; }),
              "lanes of a shared request where phases merge: got 16, accepted: 32");
}

TEST(Machines, ThatBroadcastOneWordSplitWideAccessesAndHaveABankForEachLane) {
    const auto old = [](auto change) { return why(changed("gt200", change)); };
    EXPECT_EQ(old([](Machine& m) { m.shared.wide = WideShared::phases; }),
              "rule of wide accesses where one word is broadcast: got 0, accepted: 2 (split_into_words)");
    EXPECT_EQ(old([](Machine& m) { m.shared.request_lanes = 17; }),
              "lanes of a shared request where one word is broadcast: got 17, accepted: at most as many as banks");
    EXPECT_EQ(old([](Machine& m) { m.partitions = -1; }), "partitions: got -1, accepted: 0 or more");
    EXPECT_EQ(old([](Machine& m) { m.partition_bytes = 0; }), "bytes of a partition: got 0, accepted: 1 or more");
}

TEST(Machines, ByNvidiasGuidesServeWideAccessesInPhasesAndMoveSectors) {
    for (const Machine& machine : machines()) {
        if (machine.compute_major < 7 || machine.is_checked) continue;
        const std::string& name = machine.name;
        const auto access = [](Space space, unsigned size, unsigned stride) {
            return made_access(space, Operation::load, size, [=](unsigned lane) { return stride * lane; });
        };
        EXPECT_EQ(shared_cost(access(Space::shared, 4, 128), machine).wavefronts, 32) << name;
        EXPECT_EQ(shared_cost(access(Space::shared, 8, 8), machine).wavefronts, 2) << name;
        EXPECT_EQ(shared_cost(access(Space::shared, 16, 16), machine).wavefronts, 4) << name;
        EXPECT_EQ(shared_cost(access(Space::shared, 16, 0), machine).wavefronts, 4) << name << ": phases do not merge";
        EXPECT_EQ(global_cost(access(Space::global, 4, 4), machine).sectors, 4) << name;
        EXPECT_EQ(global_cost(access(Space::global, 4, 128), machine).sectors, 32) << name;
    }
    EXPECT_EQ(find_machine("sm_75")->max_shared_bytes, 64 << 10);
    EXPECT_EQ(find_machine("sm_86")->max_shared_bytes, 99 << 10);
}

// The expected numbers are those of NVIDIA's cuda_occupancy.h.
TEST(Machines, HoldAsManyWarpsAsTheFirstOfTheirLimitsAllows) {
    struct Case {
        int registers, threads, shared_bytes, blocks;
        std::vector<std::string> limits;
        const char* machine = "sm_90";
    };
    const std::vector<Case> cases{
        {64, 256, 0, 4, {"threads"}, "sm_75"},
        {40, 64, 6528, 9, {"shared memory"}, "sm_75"},
        {40, 256, 0, 6, {"registers"}, "sm_80"},
        {32, 64, 30000, 5, {"shared memory"}, "sm_80"},
        {16, 64, 0, 16, {"blocks"}, "sm_86"},
        {16, 32, 0, 24, {"blocks"}, "sm_89"},
        {80, 512, 0, 1, {"registers"}, "sm_89"},
        {72, 256, 65536, 3, {"registers", "shared memory"}, "sm_100"},
        {42, 256, 0, 5, {"registers"}, "sm_120"},
        {16, 1024, 0, 2, {"threads"}},
        {16, 32, 0, 32, {"blocks"}},
        {40, 256, 0, 6, {"registers"}},
        {255, 160, 0, 1, {"registers"}},
        {32, 256, 49152, 4, {"shared memory"}},
        {32, 256, 28160, 8, {"threads"}},
        {128, 256, 100000, 2, {"registers", "shared memory"}},
    };
    for (const Case& each : cases) {
        Resources resources{.registers = each.registers};
        const Machine& machine = *find_machine(each.machine);
        machine.fill_occupancy(resources, each.threads, each.shared_bytes);
        EXPECT_EQ(resources.blocks, each.blocks) << each.registers << " registers on " << each.machine;
        EXPECT_EQ(resources.warps, each.blocks * each.threads / 32);
        EXPECT_EQ(resources.most_warps, machine.multiprocessor_threads / 32);
        EXPECT_EQ(resources.limited_by, each.limits) << each.registers << " registers";
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

std::string kibibytes(int bytes) { return std::to_string(bytes >> 10) + " KiB"; }

std::string partitions_of(const Machine& machine) {
    if (!machine.partitions) return "none";
    return std::to_string(machine.partitions) + ", " + std::to_string(machine.partition_bytes) + " bytes wide";
}

/// One row of the table of machines: a heading, and the cell of each machine.
std::string row(const std::string& heading, const std::function<std::string(const Machine&)>& cell) {
    std::string text = "| " + heading + " |";
    for (const Machine& machine : machines()) text += " " + cell(machine) + " |";
    return text + "\n";
}

std::string number_row(const std::string& heading, int Machine::* number) {
    return row(heading, [=](const Machine& machine) { return std::to_string(machine.*number); });
}

std::string shared_row(const std::string& heading, int SharedMemory::* number) {
    return row(heading, [=](const Machine& machine) { return std::to_string(machine.shared.*number); });
}

std::string bytes_row(const std::string& heading, int Machine::* bytes) {
    return row(heading, [=](const Machine& machine) { return kibibytes(machine.*bytes); });
}

/// The numbers of all machines as the page of the model shows them.
std::string table_of_machines() {
    std::string rule = "|---|";
    for (std::size_t i = 0; i < machines().size(); ++i) rule += "---|";
    return row("", [](const Machine& machine) { return "`" + machine.name + "`"; }) + rule + "\n" +
           row("", [](const Machine& machine) { return machine.description; }) +
           row("checked on a GPU", [](const Machine& machine) { return machine.is_checked ? "yes" : "no"; }) +
           shared_row("banks of shared memory", &SharedMemory::banks) + shared_row("bytes of a bank's word", &SharedMemory::bank_width) +
           shared_row("lanes of a shared request", &SharedMemory::request_lanes) + row("partitions watched", partitions_of) +
           number_row("multiprocessors", &Machine::multiprocessors) + number_row("most threads of a block", &Machine::max_block_threads) +
           bytes_row("most shared memory of a block", &Machine::max_shared_bytes) +
           bytes_row("shared memory of a multiprocessor", &Machine::multiprocessor_shared_bytes) +
           number_row("threads of a multiprocessor", &Machine::multiprocessor_threads) +
           number_row("blocks of a multiprocessor", &Machine::multiprocessor_blocks);
}

TEST(Machines, StandInTheModelsPageAsTheyAre) {
    std::ifstream file(SIMT_MODEL_PAGE);
    ASSERT_TRUE(file) << SIMT_MODEL_PAGE;
    std::ostringstream page;
    page << file.rdbuf();
    EXPECT_NE(page.str().find(table_of_machines()), std::string::npos) << "the page of the model should hold\n" << table_of_machines();
}

}  // namespace
}  // namespace simt
