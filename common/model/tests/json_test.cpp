// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/json.hpp"

#include <gtest/gtest.h>

namespace simt {
namespace {

nlohmann::json plain(const nlohmann::ordered_json& json) { return nlohmann::json::parse(json.dump()); }

TEST(Json, CountsComeBackAsTheyWere)
{
    LaunchCounts counts;
    counts.name = "kernel";
    counts.grid = {2, 3, 4};
    counts.block = {32, 8, 1};
    counts.launches = 2;
    counts.blocks = 48;
    counts.shared_bytes = 4096;
    counts.shared_load = {1, 4, 2};
    counts.global_store = {5, 40, 20, 640};
    counts.global_atomic = {1, 1, 1, 4};
    counts.barriers = 7;
    counts.warp_barriers = 8;
    counts.partitions = PartitionCounts{8, 256, 30, {{1, 0, 3}, {1, 2}}, {}};
    LineCounts line{.file = "a.cu", .line = 12, .space = Space::shared, .operation = Operation::load, .shared = {1, 4, 2}, .global = {}, .first_access = {}};
    line.first_access.size = 4;
    line.first_access.lanes[3] = 128;
    counts.lines = {line, {.file = "a.cu", .line = 13, .space = Space::global, .operation = Operation::atomic, .shared = {}, .global = {1, 1, 1, 4}, .first_access = {}}};
    const auto json = plain(to_json(counts));
    EXPECT_EQ(plain(to_json(json.get<LaunchCounts>())), json);
}

TEST(Json, AStoppedLaunchIsMarked)
{
    auto json = plain(to_json(LaunchCounts{}));
    EXPECT_FALSE(json.get<LaunchCounts>().stopped);
    json["stopped"] = true;
    EXPECT_TRUE(json.get<LaunchCounts>().stopped);
}

TEST(Json, HazardsComeBackAsTheyWere)
{
    const Hazard hazard{HazardKind::divergent_barrier, "kernel", {1, 2, 0}, {{0, 0, 0}, {31, 0, 0}}, {{"a.cu", 3}, {"b.cuh", 4}}, "what", "help"};
    const auto json = plain(to_json(hazard));
    EXPECT_EQ(plain(to_json(json.get<Hazard>())), json);
    EXPECT_EQ(json.get<Hazard>().kind, HazardKind::divergent_barrier);
}

TEST(Json, AnUnknownKindOrOperationIsRefused)
{
    auto json = plain(to_json(Hazard{HazardKind::race, "", {}, {}, {}, "", ""}));
    json["kind"] = "mistake";
    EXPECT_THROW(json.get<Hazard>(), std::invalid_argument);
}

}  // namespace
}  // namespace simt
