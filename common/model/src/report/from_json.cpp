#include <array>
#include <stdexcept>

#include "simt/json.hpp"

namespace simt {

namespace {

template <CountKind kind, class Counts> void read(const nlohmann::json& json, Counts& counts) {
#define SIMT_COUNT(of, name, member) \
    if constexpr (kind == CountKind::of) json.at(#name).get_to(counts.member);
#include "simt/counts.def"
    if constexpr (kind == CountKind::constant) counts.ideal_wavefronts = counts.instructions;
}

Extent extent(const nlohmann::json& json) { return {json.at(0).get<unsigned>(), json.at(1).get<unsigned>(), json.at(2).get<unsigned>()}; }

void read(const nlohmann::json& json, ExampleAccess& access) {
    json.at("size").get_to(access.size);
    const nlohmann::json& lanes = json.at("lanes");
    for (std::size_t lane = 0; lane < access.lanes.size(); ++lane)
        if (!lanes.at(lane).is_null()) access.lanes[lane] = lanes[lane].get<std::uint64_t>();
}

/// The element of `all` whose name is in `json`.
template <class Value, std::size_t number> Value named(const char* what, const nlohmann::json& json, const std::array<Value, number>& all) {
    std::string accepted;
    for (const Value value : all) {
        if (json == name_of(value)) return value;
        accepted += (accepted.empty() ? "" : ", ") + std::string(name_of(value));
    }
    throw std::invalid_argument(std::string(what) + ": got " + json.dump() + ", accepted: " + accepted);
}

std::vector<InlinedCall> calls(const nlohmann::json& json) {
    std::vector<InlinedCall> calls;
    if (json.contains("inlined_from"))
        for (const nlohmann::json& call : json["inlined_from"]) calls.push_back({call.at("file"), call.at("line"), call.at("function")});
    return calls;
}

LineCounts line(const nlohmann::json& json) {
    LineCounts line;
    json.at("file").get_to(line.file);
    json.at("line").get_to(line.line);
    line.inlined_from = calls(json);
    line.space = named("space", json.at("space"), all_spaces);
    line.operation = named("op", json.at("op"), all_operations);
    switch (line.space) {
        case Space::shared: read<CountKind::shared>(json, line.shared); break;
        case Space::constant: read<CountKind::constant>(json, line.shared); break;
        case Space::texture: read<CountKind::texture>(json, line.global); break;
        default: read<CountKind::global>(json, line.global);
    }
    if (!json.at("first_access").is_null()) read(json.at("first_access"), line.first_access);
    return line;
}

void read(const nlohmann::json& json, PartitionUse& use) {
    json.at("steps").get_to(use.steps);
    json.at("first_step").get_to(use.first_step);
}

PartitionCounts partitions(const nlohmann::json& json) {
    PartitionCounts counts;
    json.at("count").get_to(counts.partitions);
    json.at("bytes").get_to(counts.partition_bytes);
    json.at("concurrent_blocks").get_to(counts.concurrent_blocks);
    read(json.at("load"), counts.load);
    read(json.at("store"), counts.store);
    return counts;
}

enum class Presence { always, rare };

/// The sums of a launch. A rare sum is 0 if the JSON lacks it.
void read_totals(const nlohmann::json& json, LaunchCounts& counts) {
    const auto find = [&json](const std::string& parent, const char* key, Presence when) -> const nlohmann::json* {
        if (!parent.empty() && !json.contains(parent)) return nullptr;
        const nlohmann::json& holder = parent.empty() ? json : json.at(parent);
        if (when == Presence::rare && !holder.contains(key)) return nullptr;
        return &holder.at(key);
    };
#define SIMT_TOTAL(name, type, kind, parent, key, when, space, operation) \
    if (const nlohmann::json* const sum = find(parent, key, Presence::when)) read<CountKind::kind>(*sum, counts.name);
#include "simt/counts.def"
}

void read(const nlohmann::json& json, Work& work) {
#define SIMT_WORK(name) json.at(#name).get_to(work.name);
#include "simt/counts.def"
}

void read(const nlohmann::json& json, LaunchWork& work) {
    read(json.at("sum"), work.sum);
    read(json.at("least"), work.least);
    read(json.at("most"), work.most);
    json.at("loaded_sectors").get_to(work.loaded_sectors);
    json.at("stored_sectors").get_to(work.stored_sectors);
}

/// The most levels of messages within messages; reports have two.
constexpr int most_nesting = 4;

Message message_at(const nlohmann::json& json, int depth);

MessageField::Value value(const nlohmann::json& json, int depth) {
    if (json.is_number_unsigned()) return json.get<std::uint64_t>();
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_string()) return json.get<std::string>();
    if (json.is_array() && json.size() == 3 && json.front().is_number_unsigned()) return extent(json);
    std::vector<Message> messages;
    if (!json.is_array())
        throw std::invalid_argument("field of a message: got " + std::string(json.type_name()) +
                                    ", accepted: " + "a number, a text, three numbers or messages");
    for (const nlohmann::json& each : json) messages.push_back(message_at(each, depth + 1));
    return messages;
}

Message message_at(const nlohmann::json& json, int depth) {
    if (depth > most_nesting) throw std::invalid_argument("message: nested too deep");
    const std::string name = json.at("code");
    const auto code = find_message_code(name);
    if (!code) throw std::invalid_argument("code of a message: got '" + name + "', accepted: those of simt/messages.def");
    Message message(*code);
    for (const auto& [field, given] : json.at("fields").items()) {
        message.fields.emplace_back(field, 0);
        message.fields.back().value = value(given, depth);
    }
    return message;
}

}  // namespace

void from_json(const nlohmann::json& json, Message& message) { message = message_at(json, 1); }

void from_json(const nlohmann::json& json, LaunchCounts& counts) {
    json.at("name").get_to(counts.name);
    counts.grid = extent(json.at("grid"));
    counts.block = extent(json.at("block"));
    json.at("launches").get_to(counts.launches);
    json.at("blocks").get_to(counts.blocks);
    counts.uncounted_blocks = counts.blocks - json.value("counted_blocks", counts.blocks);
    counts.stopped = json.value("stopped", false);
    json.at("shared_bytes").get_to(counts.shared_bytes);
    json.at("exact").get_to(counts.exact);
    for (const nlohmann::json& each : json.at("fused"))
        counts.fused.push_back({each.at("file"), each.at("line"), each.at("ptx"), each.at("sass"), each.at("why")});
    read_totals(json, counts);
#define SIMT_NUMBER(name) json.at(#name).get_to(counts.name);
#include "simt/counts.def"
    read(json.at("work"), counts.work);
    for (const nlohmann::json& each : json.at("lines")) counts.lines.push_back(line(each));
    if (json.contains("partitions")) counts.partitions = partitions(json["partitions"]);
}

void from_json(const nlohmann::json& json, Hazard& hazard) {
    const std::string kind = json.at("kind");
    const auto found = find_hazard_kind(kind);
    if (!found) throw std::invalid_argument("kind of hazard: got '" + kind + "', accepted: those of HazardKind");
    hazard.kind = *found;
    json.at("kernel").get_to(hazard.kernel);
    hazard.block = extent(json.at("block"));
    for (const nlohmann::json& thread : json.at("threads")) hazard.threads.push_back(extent(thread));
    for (const nlohmann::json& place : json.at("lines")) hazard.lines.push_back({place.at("file"), place.at("line"), calls(place)});
    json.get_to(hazard.message);
}

}  // namespace simt
