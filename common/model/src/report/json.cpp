// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/json.hpp"

#include <stdexcept>

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

/// Adds the calls that a line was inlined by, where there are any.
void add_calls(Json& json, const std::vector<InlinedCall>& calls)
{
    for (const InlinedCall& call : calls)
        json["inlined_from"].push_back({{"file", call.file}, {"line", call.line}, {"function", call.function}});
}

/// Constant memory has no banks, and a texture no sectors that are known.
Json constant_json(const SharedCounts& counts) { return {{"instructions", counts.instructions}, {"words", counts.wavefronts}}; }
Json texture_json(const GlobalCounts& counts) { return {{"requests", counts.requests}, {"bytes", counts.bytes}}; }

Json counts_json(const LineCounts& line)
{
    switch (line.space) {
        case Space::shared: return to_json(line.shared);
        case Space::constant: return constant_json(line.shared);
        case Space::texture: return texture_json(line.global);
        default: return to_json(line.global);
    }
}

Json to_json(const LineCounts& line)
{
    Json json = {{"file", line.file}, {"line", line.line}};
    add_calls(json, line.inlined_from);
    json["space"] = name_of(line.space);
    json["op"] = name_of(line.operation);
    json.update(counts_json(line));
    json["first_access"] = to_json(line.first_access);
    return json;
}

Json to_json(const SourcePlace& place)
{
    Json json = {{"file", place.file}, {"line", place.line}};
    add_calls(json, place.inlined_from);
    return json;
}

Json to_json(const FusedAccess& access)
{
    return {{"file", access.file}, {"line", access.line}, {"ptx", access.ptx}, {"sass", access.sass}, {"why", access.why}};
}

/// What few kernels have is told where there is any.
void add_rare_counts(Json& json, const LaunchCounts& counts)
{
    if (counts.local_load.requests > 0) json["local_load"] = to_json(counts.local_load);
    if (counts.local_store.requests > 0) json["local_store"] = to_json(counts.local_store);
    if (counts.constant_load.instructions > 0) json["constant_load"] = constant_json(counts.constant_load);
    if (counts.texture_load.requests > 0) json["texture_load"] = texture_json(counts.texture_load);
    if (counts.texture_store.requests > 0) json["texture_store"] = texture_json(counts.texture_store);
    if (counts.async_copy_global.requests > 0)
        json["async_copy"] = {{"global", to_json(counts.async_copy_global)}, {"shared", to_json(counts.async_copy_shared)}};
    if (counts.bulk_copy.requests > 0) json["bulk_copy"] = to_json(counts.bulk_copy);
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
    for (const SourcePlace& place : hazard.lines) lines.push_back(to_json(place));
    return {{"kind", name_of(hazard.kind)}, {"kernel", hazard.kernel},   {"block", to_json(hazard.block)}, {"threads", threads},
            {"lines", lines},               {"message", hazard.message}, {"help", hazard.help}};
}

Json to_json(const LaunchCounts& counts)
{
    Json lines = Json::array();
    for (const LineCounts& line : counts.lines) lines.push_back(to_json(line));
    Json fused = Json::array();
    for (const FusedAccess& access : counts.fused) fused.push_back(to_json(access));
    Json json = {{"name", counts.name},
            {"grid", to_json(counts.grid)},
            {"block", to_json(counts.block)},
            {"launches", counts.launches},
            {"blocks", counts.blocks},
            {"shared_bytes", counts.shared_bytes},
            {"exact", counts.exact},
            {"fused", fused},
            {"shared_load", to_json(counts.shared_load)},
            {"shared_store", to_json(counts.shared_store)},
            {"global_load", to_json(counts.global_load)},
            {"global_store", to_json(counts.global_store)},
            {"shared_atomic", to_json(counts.shared_atomic)},
            {"global_atomic", to_json(counts.global_atomic)},
            {"barriers", counts.barriers},
            {"warp_barriers", counts.warp_barriers},
            {"lines", lines}};
    add_rare_counts(json, counts);
    if (counts.partitions) json["partitions"] = to_json(*counts.partitions);
    return json;
}

namespace {

void read(const nlohmann::json& json, SharedCounts& counts)
{
    json.at("instructions").get_to(counts.instructions);
    json.at("wavefronts").get_to(counts.wavefronts);
    json.at("ideal_wavefronts").get_to(counts.ideal_wavefronts);
}

void read(const nlohmann::json& json, GlobalCounts& counts)
{
    json.at("requests").get_to(counts.requests);
    json.at("sectors").get_to(counts.sectors);
    json.at("ideal_sectors").get_to(counts.ideal_sectors);
    json.at("bytes").get_to(counts.bytes);
}

Extent extent(const nlohmann::json& json) { return {json.at(0).get<unsigned>(), json.at(1).get<unsigned>(), json.at(2).get<unsigned>()}; }

void read(const nlohmann::json& json, ExampleAccess& access)
{
    json.at("size").get_to(access.size);
    const nlohmann::json& lanes = json.at("lanes");
    for (std::size_t lane = 0; lane < access.lanes.size(); ++lane)
        if (!lanes.at(lane).is_null()) access.lanes[lane] = lanes[lane].get<std::uint64_t>();
}

Operation operation(const std::string& name)
{
    for (const Operation each : {Operation::load, Operation::store, Operation::atomic})
        if (name == name_of(each)) return each;
    throw std::invalid_argument("op: got '" + name + "', accepted: load, store, atomic");
}

LineCounts line(const nlohmann::json& json)
{
    LineCounts line;
    json.at("file").get_to(line.file);
    json.at("line").get_to(line.line);
    line.space = json.at("space") == name_of(Space::shared) ? Space::shared : Space::global;
    line.operation = operation(json.at("op"));
    if (line.space == Space::shared)
        read(json, line.shared);
    else
        read(json, line.global);
    read(json.at("first_access"), line.first_access);
    return line;
}

void read(const nlohmann::json& json, PartitionUse& use)
{
    json.at("steps").get_to(use.steps);
    json.at("first_step").get_to(use.first_step);
}

PartitionCounts partitions(const nlohmann::json& json)
{
    PartitionCounts counts;
    json.at("count").get_to(counts.partitions);
    json.at("bytes").get_to(counts.partition_bytes);
    json.at("concurrent_blocks").get_to(counts.concurrent_blocks);
    read(json.at("load"), counts.load);
    read(json.at("store"), counts.store);
    return counts;
}

}  // namespace

void from_json(const nlohmann::json& json, LaunchCounts& counts)
{
    json.at("name").get_to(counts.name);
    counts.grid = extent(json.at("grid"));
    counts.block = extent(json.at("block"));
    json.at("launches").get_to(counts.launches);
    json.at("blocks").get_to(counts.blocks);
    counts.stopped = json.value("stopped", false);
    json.at("shared_bytes").get_to(counts.shared_bytes);
    read(json.at("shared_load"), counts.shared_load);
    read(json.at("shared_store"), counts.shared_store);
    read(json.at("shared_atomic"), counts.shared_atomic);
    read(json.at("global_load"), counts.global_load);
    read(json.at("global_store"), counts.global_store);
    read(json.at("global_atomic"), counts.global_atomic);
    json.at("barriers").get_to(counts.barriers);
    json.at("warp_barriers").get_to(counts.warp_barriers);
    for (const nlohmann::json& each : json.at("lines")) counts.lines.push_back(line(each));
    if (json.contains("partitions")) counts.partitions = partitions(json["partitions"]);
}

void from_json(const nlohmann::json& json, Hazard& hazard)
{
    const std::string kind = json.at("kind");
    const auto found = find_hazard_kind(kind);
    if (!found) throw std::invalid_argument("kind of hazard: got '" + kind + "', accepted: those of HazardKind");
    hazard.kind = *found;
    json.at("kernel").get_to(hazard.kernel);
    hazard.block = extent(json.at("block"));
    for (const nlohmann::json& thread : json.at("threads")) hazard.threads.push_back(extent(thread));
    for (const nlohmann::json& place : json.at("lines")) hazard.lines.push_back({place.at("file"), place.at("line")});
    json.at("message").get_to(hazard.message);
    json.at("help").get_to(hazard.help);
}

}  // namespace simt
