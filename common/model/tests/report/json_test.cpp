#include "simt/json.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace simt {
namespace {

nlohmann::json plain(const nlohmann::ordered_json& json) { return nlohmann::json::parse(json.dump()); }

LineCounts line_of(Space space, Operation operation) {
    LineCounts line;
    line.file = "a.cu";
    line.line = 12;
    line.inlined_from = {{"b.cuh", 7, "called"}, {"a.cu", 30, ""}};
    line.space = space;
    line.operation = operation;
    line.shared = {1, 4, 2};
    line.global = {1, 8, 4, 128};
    line.first_access.size = 4;
    line.first_access.lanes[3] = 128;
    return line;
}

TEST(Json, CountsComeBackAsTheyWere) {
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
    counts.exact = false;
    counts.fused = {{"a.cu", 14, "2 ld.shared.f32", "1 LDS.64", "adjacent"}};
    counts.local_store = {1, 4, 4, 128};
    counts.constant_load = {3, 5, 3};
    counts.texture_load = {2, 0, 0, 256};
    counts.async_copy_global = {1, 4, 4, 128};
    counts.async_copy_shared = {1, 1, 1};
    counts.bulk_copy = {1, 512, 512, 16384};
    counts.lines = {line_of(Space::shared, Operation::load),     line_of(Space::global, Operation::atomic),
                    line_of(Space::constant, Operation::load),   line_of(Space::texture, Operation::store),
                    line_of(Space::local, Operation::load),      line_of(Space::shared, Operation::async_copy),
                    line_of(Space::global, Operation::bulk_copy)};
    const auto json = plain(to_json(counts));
    EXPECT_EQ(plain(to_json(json.get<LaunchCounts>())), json);
}

TEST(Json, CopiesOfZerosAloneAreTold) {
    LaunchCounts counts;
    EXPECT_FALSE(plain(to_json(counts)).contains("async_copy"));
    counts.async_copy_shared = {1, 4, 4};
    EXPECT_EQ(plain(to_json(counts)).at("async_copy").at("shared").at("wavefronts"), 4);
}

TEST(Json, AStoppedLaunchIsMarked) {
    auto json = plain(to_json(LaunchCounts{}));
    EXPECT_FALSE(json.get<LaunchCounts>().stopped);
    json["stopped"] = true;
    EXPECT_TRUE(json.get<LaunchCounts>().stopped);
}

TEST(Json, CountsOfAPartOfALaunchAreNotExact) {
    const LaunchCounts whole;
    LaunchCounts stopped, in_part;
    stopped.stopped = true;
    in_part.blocks = 2;
    in_part.uncounted_blocks = 1;
    EXPECT_TRUE(to_json(whole).at("exact"));
    EXPECT_FALSE(to_json(stopped).at("exact"));
    EXPECT_FALSE(to_json(in_part).at("exact"));
}

TEST(Json, HazardsComeBackAsTheyWere) {
    const Hazard hazard{HazardKind::divergent_barrier,
                        "kernel",
                        {1, 2, 0},
                        {{0, 0, 0}, {31, 0, 0}},
                        {{"a.cu", 3, {}}, {"b.cuh", 4, {{"a.cu", 9, "f"}}}},
                        {MessageCode::different_barriers, {{"thread", Extent{0, 0, 0}}, {"other", Extent{31, 0, 0}}}}};
    const auto json = plain(to_json(hazard));
    EXPECT_EQ(plain(to_json(json.get<Hazard>())), json);
    EXPECT_EQ(json.get<Hazard>().kind, HazardKind::divergent_barrier);
}

TEST(Json, AnUnknownKindOrOperationIsRefused) {
    auto json = plain(to_json(Hazard{HazardKind::race, "", {}, {}, {}, {}}));
    json["kind"] = "mistake";
    EXPECT_THROW(json.get<Hazard>(), std::invalid_argument);
    LaunchCounts counts;
    counts.lines = {line_of(Space::shared, Operation::load)};
    json = plain(to_json(counts));
    json["lines"][0]["op"] = "lode";
    EXPECT_THROW(json.get<LaunchCounts>(), std::invalid_argument);
}

}  // namespace
}  // namespace simt
