#include "simt/json.hpp"

#include <set>
#include <string>

namespace simt {

using Json = nlohmann::ordered_json;

namespace {

template <CountKind kind, class Counts> Json counts_json(const Counts& counts) {
    Json json;
#define SIMT_COUNT(of, name, member) \
    if constexpr (kind == CountKind::of) json[#name] = counts.member;
#define SIMT_SHARED_RESULT(name, member) SIMT_COUNT(shared, name, member)
#include "simt/counts.def"
    return json;
}

Json to_json(const Extent& extent) { return {extent.x, extent.y, extent.z}; }

Json to_json(const ExampleAccess& access) {
    Json lanes = Json::array();
    for (const auto& lane : access.lanes) lanes.push_back(lane ? Json(*lane) : Json(nullptr));
    return {{"size", access.size}, {"lanes", lanes}};
}

/// Adds the inlined calls of a line, if there are any.
void add_calls(Json& json, const std::vector<InlinedCall>& calls) {
    for (const InlinedCall& call : calls)
        json["inlined_from"].push_back({{"file", call.file}, {"line", call.line}, {"function", call.function}});
}

Json counts_json(const LineCounts& line) {
    switch (line.space) {
        case Space::shared: return counts_json<CountKind::shared>(line.shared);
        case Space::constant: return counts_json<CountKind::constant>(line.shared);
        case Space::texture: return counts_json<CountKind::texture>(line.global);
        default: return counts_json<CountKind::global>(line.global);
    }
}

Json to_json(const LineCounts& line) {
    Json json = {{"file", line.file}, {"line", line.line}};
    add_calls(json, line.inlined_from);
    json["space"] = name_of(line.space);
    json["op"] = name_of(line.operation);
    json.update(counts_json(line));
    json["first_access"] = line.first_access.size > 0 ? to_json(line.first_access) : Json();
    return json;
}

Json to_json(const SourcePlace& place) {
    Json json = {{"file", place.file}, {"line", place.line}};
    add_calls(json, place.inlined_from);
    return json;
}

Json to_json(const FusedAccess& access) {
    return {{"file", access.file}, {"line", access.line}, {"ptx", access.ptx}, {"sass", access.sass}, {"why", access.why}};
}

bool any(const SharedCounts& counts) { return counts.instructions > 0; }
bool any(const GlobalCounts& counts) { return counts.requests > 0; }

enum class When { always, rare };

/// Adds the sums that every launch has, or the rare sums that are not 0. If one sum within a parent is not 0, all of the parent's sums
/// are written: copies that only write zeros read nothing.
void add_totals(Json& json, const LaunchCounts& counts, When wanted) {
    std::set<std::string> parents;
#define SIMT_TOTAL(name, type, kind, parent, key, when, space, operation) \
    if (any(counts.name)) parents.insert(parent);
#include "simt/counts.def"
    const auto put = [&](const std::string& parent, const char* key, When when, bool is_there, const auto& sum) {
        if (when != wanted) return;
        if (!parent.empty() && parents.contains(parent)) json[parent][key] = sum();
        if (parent.empty() && (when == When::always || is_there)) json[key] = sum();
    };
#define SIMT_TOTAL(name, type, kind, parent, key, when, space, operation) \
    put(parent, key, When::when, any(counts.name), [&] { return counts_json<CountKind::kind>(counts.name); });
#include "simt/counts.def"
}

Json to_json(const Work& work) {
    Json json;
#define SIMT_WORK(name) json[#name] = work.name;
#include "simt/counts.def"
    return json;
}

Json to_json(const LaunchWork& work) {
    return {{"sum", to_json(work.sum)},
            {"least", to_json(work.least)},
            {"most", to_json(work.most)},
            {"loaded_sectors", work.loaded_sectors},
            {"stored_sectors", work.stored_sectors}};
}

Json to_json(const PartitionUse& use) { return {{"steps", use.steps}, {"mean", use.mean()}, {"first_step", use.first_step}}; }

Json to_json(const PartitionCounts& counts) {
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
    Json operator()(const std::vector<Message>& messages) const {
        Json all = Json::array();
        for (const Message& message : messages) all.push_back(simt::to_json(message));
        return all;
    }
};

}  // namespace

Json to_json(const Message& message) {
    Json fields = Json::object();
    for (const MessageField& field : message.fields) fields[field.name] = std::visit(AsJson{}, field.value);
    return {{"code", name_of(message.code)}, {"fields", fields}, {"message", message.text()}, {"help", message.help()}};
}

Json to_json(const Hazard& hazard) {
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

Json to_json(const Resources& resources) {
    return {{"registers", resources.registers},
            {"spilled_store_bytes", resources.spilled_store_bytes},
            {"spilled_load_bytes", resources.spilled_load_bytes},
            {"blocks", resources.blocks},
            {"warps", resources.warps},
            {"most_warps", resources.most_warps},
            {"limited_by", resources.limited_by}};
}

Json to_json(const LaunchCounts& counts) {
    Json lines = Json::array();
    for (const LineCounts& line : counts.lines) lines.push_back(to_json(line));
    Json fused = Json::array();
    for (const FusedAccess& access : counts.fused) fused.push_back(to_json(access));
    const bool is_whole = !counts.stopped && counts.uncounted_blocks == 0;
    Json json = {{"name", counts.name},
                 {"grid", to_json(counts.grid)},
                 {"block", to_json(counts.block)},
                 {"launches", counts.launches},
                 {"blocks", counts.blocks},
                 {"shared_bytes", counts.shared_bytes},
                 {"exact", counts.exact && is_whole},
                 {"fused", fused}};
    add_totals(json, counts, When::always);
#define SIMT_NUMBER(name) json[#name] = counts.name;
#include "simt/counts.def"
    json["work"] = to_json(counts.work);
    json["lines"] = std::move(lines);
    if (counts.uncounted_blocks > 0) json["counted_blocks"] = counts.blocks - counts.uncounted_blocks;
    add_totals(json, counts, When::rare);
    if (counts.partitions) json["partitions"] = to_json(*counts.partitions);
    if (counts.resources) json["resources"] = to_json(*counts.resources);
    return json;
}

}  // namespace simt
