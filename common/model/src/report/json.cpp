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
    json["first_access"] = line.first_access.size > 0 ? to_json(line.first_access) : Json();
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
    // Copies that write nothing but zeros read nothing.
    if (counts.async_copy_global.requests + counts.async_copy_shared.instructions > 0)
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

/// A field as JSON: a number, a text, three numbers, or messages.
struct AsJson {
    Json operator()(const auto& plain) const { return plain; }
    Json operator()(const Extent& extent) const { return to_json(extent); }
    Json operator()(const std::vector<Message>& messages) const
    {
        Json all = Json::array();
        for (const Message& message : messages) all.push_back(simt::to_json(message));
        return all;
    }
};

}  // namespace

Json to_json(const Message& message)
{
    Json fields = Json::object();
    for (const MessageField& field : message.fields) fields[field.name] = std::visit(AsJson{}, field.value);
    return {{"code", name_of(message.code)}, {"fields", fields}, {"message", message.text()}, {"help", message.help()}};
}

Json to_json(const Hazard& hazard)
{
    Json threads = Json::array(), lines = Json::array();
    for (const Extent& thread : hazard.threads) threads.push_back(to_json(thread));
    for (const SourcePlace& place : hazard.lines) lines.push_back(to_json(place));
    Json json = {{"kind", name_of(hazard.kind)},
                 {"kernel", hazard.kernel},
                 {"block", to_json(hazard.block)},
                 {"threads", threads},
                 {"lines", lines}};
    json.update(to_json(hazard.message));
    return json;
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
    if (counts.uncounted_blocks > 0) json["counted_blocks"] = counts.blocks - counts.uncounted_blocks;
    add_rare_counts(json, counts);
    if (counts.partitions) json["partitions"] = to_json(*counts.partitions);
    return json;
}

}  // namespace simt
