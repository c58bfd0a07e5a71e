// simt_access: computes the cost of accesses, given as addresses, by the model's rules.
//   simt_access < ACCESSES   reads a JSON array of {"space", "machine", "op", "size", "lanes": [byte offset or null, …]}. For the
//                            space "shared", the default, it writes {"wavefronts": [[[lane, word], …], …], "ideal_wavefronts"};
//                            a machine is a name, or an object like those of --machines. For the space "global" it writes
//                            {"sectors", "ideal_sectors", "l1_cycles"}; a machine is a name
//   simt_access --machines   writes the machines' rules of shared memory, by name. "words" and "wide" are numbers of
//                            simt::SharedWords and simt::WideShared

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "simt/machine.hpp"
#include "simt/rules.hpp"
#include "simt/schedule.hpp"

namespace {

using Json = nlohmann::ordered_json;

Json machines() {
    Json all;
    for (const simt::Machine& machine : simt::machines())
        all[machine.name] = {
            {"description", machine.description},
            {"banks", machine.shared.banks},
            {"bank_width", machine.shared.bank_width},
            {"request_lanes", machine.shared.request_lanes},
            {"words", static_cast<int>(machine.shared.words)},
            {"wide", static_cast<int>(machine.shared.wide)},
            {"extra_wavefronts_of_16_bytes", machine.shared.extra_wavefronts_of_16_bytes},
            {"block_bytes", machine.max_shared_bytes},
        };
    return all;
}

simt::WarpAccess access_from(const Json& json) {
    simt::WarpAccess access{};
    const std::string space = json.value("space", "shared");
    if (space != "shared" && space != "global") throw std::invalid_argument("space: got '" + space + "', accepted: shared, global");
    access.space = space == "shared" ? simt::Space::shared : simt::Space::global;
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

const simt::Machine& machine_called(const std::string& name) {
    const simt::Machine* machine = simt::find_machine(name);
    if (!machine) throw std::invalid_argument("machine: got '" + name + "', accepted: " + simt::machine_names());
    return *machine;
}

simt::SharedMemory shared_memory_from(const Json& json) {
    if (json.is_string()) return machine_called(json.get<std::string>()).shared;
    const simt::SharedMemory memory{.banks = json.at("banks"),
                                    .bank_width = json.at("bank_width"),
                                    .request_lanes = json.at("request_lanes"),
                                    .words = static_cast<simt::SharedWords>(json.at("words").get<std::uint8_t>()),
                                    .wide = static_cast<simt::WideShared>(json.at("wide").get<std::uint8_t>()),
                                    .extra_wavefronts_of_16_bytes = json.at("extra_wavefronts_of_16_bytes")};
    if (const auto impossible = simt::why_impossible(memory)) throw std::invalid_argument(simt::to_text(*impossible));
    return memory;
}

Json answer_to(const Json& question) {
    const simt::WarpAccess access = access_from(question);
    if (access.space == simt::Space::global) {
        const auto name = question.at("machine").get<std::string>();
        const simt::Machine& machine = machine_called(name);
        const simt::GlobalCost cost = simt::global_cost(access, machine);
        return {{"sectors", cost.sectors}, {"ideal_sectors", cost.ideal_sectors}, {"l1_cycles", simt::l1_cycles(access, machine)}};
    }
    const simt::Schedule schedule = simt::shared_schedule(access, shared_memory_from(question.at("machine")));
    return {{"wavefronts", simt::to_json(schedule.wavefronts)}, {"ideal_wavefronts", schedule.ideal_wavefronts}};
}

}  // namespace

int main(int argc, char** argv) {
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
        std::cerr << "simt_access: " << error.what() << '\n';
        return 2;
    }
}
