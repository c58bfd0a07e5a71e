// Atomic operations, local and constant memory, textures and asynchronous copies as an H200 counted them: hardware/h200_features.json.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/rules.hpp"

namespace simt {

namespace {

AtomicKind kind_of(const std::string& operation) {
    if (operation == "count") return AtomicKind::counting;
    if (operation.starts_with("compare_and_swap")) return AtomicKind::compare_and_swap;
    if (operation.starts_with("add_float") || operation == "add_half2" || operation == "add_8" || operation == "most_8")
        return AtomicKind::loop;
    return AtomicKind::native;
}

/// A row of the table, as an access.
struct Row {
    std::string family, operation, name;
    WarpAccess access{};
    /// Where an asynchronous copy reads.
    std::array<std::uint64_t, warp_size> from{};
    std::vector<int> counts;
};

Row row_from(const nlohmann::json& json) {
    Row row{json.at(0), json.at(1), json.dump()};
    row.access.size = json.at(2);
    row.access.active = static_cast<std::uint32_t>(std::stoul(json.at(4).get<std::string>(), nullptr, 16));
    const auto offsets = json.at(5).get<std::vector<std::uint64_t>>();
    std::copy_n(offsets.begin(), warp_size, row.access.address.begin());
    row.counts = json.at(6).get<std::vector<int>>();
    if (row.family != "async_copy") return row;
    // One side has the pattern; the other is contiguous, or has a pattern of its own.
    row.from = row.access.address;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        const std::uint64_t contiguous = lane * static_cast<std::uint64_t>(row.access.size);
        if (row.operation.starts_with("to")) row.from[lane] = contiguous;
        if (row.operation.starts_with("from")) row.access.address[lane] = contiguous;
        if (row.operation.starts_with("both")) row.access.address[lane] = offsets.at(warp_size + lane);
    }
    return row;
}

std::vector<Row> rows_of(const std::string& family) {
    std::ifstream file(SIMT_FEATURE_TABLE);
    const auto table = nlohmann::json::parse(file);
    std::vector<Row> rows;
    for (const auto& json : table.at("rows"))
        if (json.at(0) == family) rows.push_back(row_from(json));
    return rows;
}

const Machine& machine() { return *find_machine("sm_90"); }

TEST(FeatureRules, CountAtomicOperationsAsTheH200) {
    // The repetitions of this operation depend on data: a lane that finds a greater number changes nothing.
    const std::string open = R"(["shared_atomic","most_8",8,"two_rows")";
    // One scattered compare-and-swap moves two sectors fewer than the rule says; the reason is not known.
    const std::string open_swap = R"(["global_atomic","compare_and_swap",4,"scattered_5")";
    for (const char* family : {"global_atomic", "shared_atomic"}) {
        std::vector<Row> rows = rows_of(family);
        EXPECT_EQ(rows.size(), std::string(family) == "global_atomic" ? 1056u : 600u);
        for (Row& row : rows) {
            row.access.operation = Operation::atomic;
            row.access.atomic = kind_of(row.operation);
            if (row.family == "global_atomic") {
                row.access.space = Space::global;
                const int sectors = global_cost(row.access, machine()).sectors;
                EXPECT_EQ(sectors == row.counts.at(1), !row.name.starts_with(open_swap)) << sectors << " sectors for " << row.name;
                continue;
            }
            row.access.space = Space::shared;
            EXPECT_EQ(shared_cost(row.access, machine()).wavefronts, row.counts.at(0)) << row.name;
            const int loads = is_loop(row.access, machine()) ? loop_cost(row.access, machine()).loads.wavefronts : 0;
            EXPECT_EQ(loads == row.counts.at(1), !row.name.starts_with(open)) << loads << " loads for " << row.name;
        }
    }
}

TEST(FeatureRules, CountLocalMemoryAsTheH200) {
    const std::vector<Row> rows = rows_of("local");
    EXPECT_EQ(rows.size(), 200u);
    for (const Row& row : rows) {
        EXPECT_EQ(local_requests(row.access), row.counts.at(0)) << row.name;
        EXPECT_EQ(local_cost(row.access).sectors, row.counts.at(1)) << row.name;
    }
}

TEST(FeatureRules, CountConstantMemoryAsTheH200) {
    const std::vector<Row> rows = rows_of("constant");
    EXPECT_EQ(rows.size(), 200u);
    for (const Row& row : rows) {
        // The others are the kernel's parameters.
        const int parameters = row.access.size == 1 ? 2 : 3;
        EXPECT_EQ(constant_words(row.access) + parameters, row.counts.at(0)) << row.name;
    }
}

TEST(FeatureRules, CountRequestsOfTexturesAsTheH200) {
    std::vector<Row> rows = rows_of("texture");
    EXPECT_EQ(rows.size(), 1440u);
    for (Row& row : rows) {
        const bool is_wide_group = row.operation.starts_with("surface") || (row.operation == "fetch" && row.access.size < 16);
        row.access.request_lanes = is_wide_group ? 8 : 4;
        EXPECT_EQ(texture_requests(row.access), row.counts.at(0)) << row.name;
    }
}

TEST(FeatureRules, CountAsynchronousCopiesAsTheH200) {
    std::vector<Row> rows = rows_of("async_copy");
    EXPECT_EQ(rows.size(), 560u);
    std::map<std::string, int> open;
    for (Row& row : rows) {
        row.access.operation = Operation::async_copy;
        row.access.past_l1 = row.operation.ends_with("past_l1");
        row.access.space = Space::shared;
        row.access.other_side = &row.from;
        const int wavefronts = shared_cost(row.access, machine()).wavefronts;
        std::swap(row.access.address, row.from);
        row.access.space = Space::global;
        EXPECT_EQ(global_cost(row.access, machine()).sectors, row.counts.at(1)) << row.name;
        if (wavefronts != row.counts.at(2)) {
            ++open[row.operation + " " + std::to_string(row.access.size)];
            EXPECT_TRUE(row.name.find("random") != std::string::npos || row.operation == "both") << row.name;
        }
    }
    // The rules are known in part only: the page of the model says so, with these numbers.
    EXPECT_EQ(open,
              (std::map<std::string, int>{
                  {"both 4", 8}, {"both 8", 14}, {"both 16", 19}, {"both_past_l1 16", 6}, {"to_past_l1 16", 6}, {"from_past_l1 16", 2}}));
}

}  // namespace

}  // namespace simt
