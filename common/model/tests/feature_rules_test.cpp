// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Atomic operations, local memory and constant memory as an H200 counted them: hardware/h200_features.json.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/rules.hpp"

namespace simt {

namespace {

AtomicKind kind_of(const std::string& operation)
{
    if (operation == "count") return AtomicKind::counting;
    if (operation.starts_with("compare_and_swap")) return AtomicKind::compare_and_swap;
    if (operation.starts_with("add_float") || operation == "add_half2" || operation == "add_8" || operation == "most_8") return AtomicKind::loop;
    return AtomicKind::native;
}

TEST(FeatureRules, CountWhatTheH200Counts)
{
    std::ifstream file(SIMT_FEATURE_TABLE);
    const auto table = nlohmann::json::parse(file);
    const Machine& machine = *find_machine("sm_90");
    int checked = 0;
    for (const auto& row : table.at("rows")) {
        const auto family = row.at(0).get<std::string>(), operation = row.at(1).get<std::string>();
        WarpAccess access{};
        access.operation = Operation::atomic;
        access.size = row.at(2);
        access.active = static_cast<std::uint32_t>(std::stoul(row.at(4).get<std::string>(), nullptr, 16));
        access.address = row.at(5).get<std::array<std::uint64_t, warp_size>>();
        access.atomic = kind_of(operation);
        const auto counts = row.at(6).get<std::vector<int>>();
        const auto name = row.dump();
        if (family == "global_atomic") {
            access.space = Space::global;
            EXPECT_EQ(global_cost(access, machine).sectors, counts[1]) << name;
        } else if (family == "shared_atomic" && access.atomic != AtomicKind::loop) {
            access.space = Space::shared;
            EXPECT_EQ(shared_cost(access, machine).wavefronts, counts[0]) << name;
        } else if (family == "local") {
            EXPECT_EQ(local_cost(access).sectors, counts[1]) << name;
        } else if (family == "constant" && access.size >= 4) {
            // Three more are the kernel's parameters.
            EXPECT_EQ(constant_words(access) + 3, counts[0]) << name;
        } else {
            continue;
        }
        ++checked;
    }
    EXPECT_GE(checked, 1000);
}

}  // namespace

}  // namespace simt
