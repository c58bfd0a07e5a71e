#include "report/trace.hpp"

#include <algorithm>
#include <utility>

#include "simt/json.hpp"
#include "simt/schedule.hpp"

namespace simt {

nlohmann::ordered_json to_json(const std::vector<Wavefront>& wavefronts) {
    auto json = nlohmann::ordered_json::array();
    for (const Wavefront& wavefront : wavefronts) {
        auto words = nlohmann::ordered_json::array();
        for (const ServedWord& one : wavefront) words.push_back({one.lane, one.word});
        json.push_back(std::move(words));
    }
    return json;
}

namespace report {

using Json = nlohmann::ordered_json;

void Trace::launch_begins(const LaunchInfo& info) {
    info_ = info;
    blocks_ = Json::array();
    block_ = 0;
    numbers_.clear();
    instructions_of_line_.clear();
    allocations_.clear();
}

void Trace::block_begins(const Extent& block_index) {
    interval_ = 0;
    made_.clear();
    if (++block_ <= most_blocks) blocks_.push_back({{"block", {block_index.x, block_index.y, block_index.z}}, {"accesses", Json::array()}});
}

void Trace::warp_access(const WarpAccess& access) {
    if (block_ > most_blocks) return;
    const std::size_t occurrence = made_[{{access.program_counter, access.space, access.operation}, access.warp}]++;
    if (occurrence < most_accesses) blocks_.back()["accesses"].push_back(access_as_json(access, occurrence));
}

void Trace::launch_ends() {
    const Machine& machine = questions_.machine();
    launches_.push_back({{"kernel", questions_.kernel()},
                         {"machine", machine.name},
                         {"banks", machine.shared.banks},
                         {"request_lanes", machine.shared.request_lanes},
                         {"grid", {info_.grid.x, info_.grid.y, info_.grid.z}},
                         {"block", {info_.block.x, info_.block.y, info_.block.z}},
                         {"blocks", std::exchange(blocks_, Json::array())}});
}

int Trace::number_of(const InstructionInSpace& instruction, const SourcePlace& place) {
    const auto [number, is_new] = numbers_.try_emplace(instruction);
    if (is_new) number->second = instructions_of_line_[{place.file, place.line, instruction.space, instruction.operation}]++;
    return number->second;
}

Json Trace::access_as_json(const WarpAccess& access, std::size_t occurrence) {
    const SourcePlace place = questions_.place_of(access.program_counter);
    Json lanes = Json::array();
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        lanes.push_back(access.active >> lane & 1 ? Json(access.address[lane] - access.allocation) : Json(nullptr));
    Json json = {{"file", place.file},
                 {"line", place.line},
                 {"space", name_of(access.space)},
                 {"op", name_of(access.operation)},
                 {"instruction", number_of({access.program_counter, access.space, access.operation}, place)},
                 {"warp", access.warp},
                 {"occurrence", occurrence},
                 {"interval", interval_},
                 {"size", access.size},
                 {"lanes", std::move(lanes)}};
    if (access.space == Space::global) {
        const auto known = std::ranges::find(allocations_, access.allocation);
        json["allocation"] = known - allocations_.begin();
        if (known == allocations_.end()) allocations_.push_back(access.allocation);
    } else {
        const Schedule schedule = shared_schedule(access, questions_.machine().shared);
        json["wavefronts"] = to_json(schedule.wavefronts);
        json["ideal_wavefronts"] = schedule.ideal_wavefronts;
    }
    return json;
}

}  // namespace report

}  // namespace simt
