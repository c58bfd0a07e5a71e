// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/json.hpp"

namespace simt {

using Json = nlohmann::ordered_json;

namespace {

Json to_json(const SharedCounts& counts)
{
    return {{"instructions", counts.instructions},
            {"wavefronts", counts.wavefronts},
            {"ideal_wavefronts", counts.ideal_wavefronts},
            {"conflicts", counts.conflicts()}};
}

Json to_json(const GlobalCounts& counts)
{
    return {{"requests", counts.requests}, {"sectors", counts.sectors}, {"ideal_sectors", counts.ideal_sectors}, {"bytes", counts.bytes}};
}

Json to_json(const Extent& extent) { return {extent.x, extent.y, extent.z}; }

Json to_json(const ExampleAccess& access)
{
    Json lanes = Json::array();
    for (const auto& lane : access.lanes) lanes.push_back(lane ? Json(*lane) : Json(nullptr));
    return {{"size", access.size}, {"lanes", lanes}};
}

Json to_json(const LineCounts& line)
{
    Json json = {{"file", line.file}, {"line", line.line}, {"space", name_of(line.space)}, {"op", name_of(line.operation)}};
    json.update(line.space == Space::shared ? to_json(line.shared) : to_json(line.global));
    json["first_access"] = to_json(line.first_access);
    return json;
}

Json to_json(const PartitionUse& use) { return {{"steps", use.steps}, {"mean", use.mean()}, {"first_step", use.first_step}}; }

Json to_json(const PartitionCounts& counts)
{
    return {{"count", counts.partitions},
            {"bytes", counts.partition_bytes},
            {"concurrent_blocks", counts.concurrent_blocks},
            {"load", to_json(counts.load)},
            {"store", to_json(counts.store)}};
}

}  // namespace

Json to_json(const Hazard& hazard)
{
    Json threads = Json::array(), lines = Json::array();
    for (const Extent& thread : hazard.threads) threads.push_back(to_json(thread));
    for (const SourcePlace& place : hazard.lines) lines.push_back({{"file", place.file}, {"line", place.line}});
    return {{"kind", name_of(hazard.kind)}, {"kernel", hazard.kernel},   {"block", to_json(hazard.block)}, {"threads", threads},
            {"lines", lines},               {"message", hazard.message}, {"help", hazard.help}};
}

Json to_json(const LaunchCounts& counts)
{
    Json lines = Json::array();
    for (const LineCounts& line : counts.lines) lines.push_back(to_json(line));
    Json json = {{"name", counts.name},
            {"grid", to_json(counts.grid)},
            {"block", to_json(counts.block)},
            {"launches", counts.launches},
            {"blocks", counts.blocks},
            {"shared_bytes", counts.shared_bytes},
            {"shared_load", to_json(counts.shared_load)},
            {"shared_store", to_json(counts.shared_store)},
            {"global_load", to_json(counts.global_load)},
            {"global_store", to_json(counts.global_store)},
            {"shared_atomic", to_json(counts.shared_atomic)},
            {"global_atomic", to_json(counts.global_atomic)},
            {"barriers", counts.barriers},
            {"warp_barriers", counts.warp_barriers},
            {"lines", lines}};
    if (counts.partitions) json["partitions"] = to_json(*counts.partitions);
    return json;
}

}  // namespace simt
