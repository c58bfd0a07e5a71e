// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// simt_shared_access: what the model's rules say of shared-memory accesses that are given as addresses.
//   simt_shared_access < ACCESSES   reads a JSON array of {"machine", "op", "size", "lanes": [byte offset or null, …]},
//                                   writes one of {"wavefronts": [[[lane, word], …], …], "ideal_wavefronts"}
//   simt_shared_access --machines   writes the machines' rules of shared memory, by name

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "simt/rules.hpp"
#include "simt/schedule.hpp"

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(simt::WideShared wide)
{
    switch (wide) {
        case simt::WideShared::phases: return "phases";
        case simt::WideShared::merging_phases: return "merging_phases";
        default: return "split_into_words";
    }
}

Json machines()
{
    Json all;
    for (const simt::Machine& machine : simt::machines())
        all[machine.name] = {
            {"description", machine.description},
            {"banks", machine.banks},
            {"bank_width", machine.bank_width},
            {"request_lanes", machine.shared_request_lanes},
            {"words", machine.shared_words == simt::SharedWords::multicast ? "multicast" : "one_broadcast"},
            {"wide", name_of(machine.wide_shared)},
            {"block_bytes", machine.max_shared_bytes},
            {"extra_wavefronts_of_16_bytes", machine.extra_wavefronts_of_16_bytes},
        };
    return all;
}

simt::WarpAccess access_from(const Json& json)
{
    simt::WarpAccess access{};
    access.space = simt::Space::shared;
    const auto operation = json.at("op").get<std::string>();
    if (operation != "load" && operation != "store") throw std::invalid_argument("op: got '" + operation + "', accepted: load, store");
    access.operation = operation == "load" ? simt::Operation::load : simt::Operation::store;
    access.size = json.at("size");
    if (access.size != 1 && access.size != 2 && access.size != 4 && access.size != 8 && access.size != 16)
        throw std::invalid_argument("size: got " + std::to_string(access.size) + ", accepted: 1, 2, 4, 8, 16");
    const Json& lanes = json.at("lanes");
    if (lanes.size() != simt::warp_size) throw std::invalid_argument("lanes: got " + std::to_string(lanes.size()) + ", accepted: 32");
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (lanes[lane].is_null()) continue;
        access.active |= 1u << lane;
        access.address[lane] = lanes[lane];
    }
    if (!access.active) throw std::invalid_argument("lanes: got none that is active, accepted: 1 to 32");
    return access;
}

Json answer_to(const Json& question)
{
    const auto name = question.at("machine").get<std::string>();
    const simt::Machine* machine = simt::find_machine(name);
    if (!machine) throw std::invalid_argument("machine: got '" + name + "', accepted: " + simt::machine_names());
    const simt::WarpAccess access = access_from(question);
    return {{"wavefronts", simt::to_json(simt::shared_schedule(access, *machine))},
            {"ideal_wavefronts", simt::shared_cost(access, *machine).ideal_wavefronts}};
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        if (argc == 2 && std::string(argv[1]) == "--machines") {
            std::cout << machines().dump() << '\n';
            return 0;
        }
        if (argc != 1) throw std::invalid_argument(std::string("got '") + argv[1] + "', accepted: --machines, or nothing");
        Json answers = Json::array();
        for (const Json& question : Json::parse(std::cin)) answers.push_back(answer_to(question));
        std::cout << answers.dump() << '\n';
    } catch (const std::exception& error) {
        std::cerr << "simt_shared_access: " << error.what() << '\n';
        return 2;
    }
}
