#include "model.hpp"

#include <dlfcn.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conflict_free/error.hpp"
#include "simt/interface.h"
#include "simt/json.hpp"

namespace conflict_free::model {

namespace {

constexpr int known_version = 1;

/// A function of the model by its name; null on a GPU.
template <class Function> Function* find(const char* name) { return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name)); }

#define FIND(function) find<decltype(function)>(#function)

bool look_for_model() {
    const auto version = FIND(simt_interface_version);
    if (!version) return false;
    if (version() != known_version)
        throw std::runtime_error("the counting model's interface: got version " + std::to_string(version()) +
                                 ", accepted: " + std::to_string(known_version));
    return true;
}

}  // namespace

bool is_there() {
    static const bool found = look_for_model();
    return found;
}

std::string machine() { return FIND(simt_machine)(); }

void choose_machine(const std::string& name) {
    if (FIND(simt_set_machine)(name.c_str()) != 0)
        throw UsageError("--machine: got '" + name + "', accepted: " + FIND(simt_machine_names)());
}

Report take_report() {
    const auto json = nlohmann::json::parse(FIND(simt_take_report)());
    Report report{json.at("kernels").get<std::vector<simt::LaunchCounts>>(), json.at("hazards").get<std::vector<simt::Hazard>>(),
                  json.at("errors").get<std::vector<simt::Message>>(), !json.contains("uncounted")};
    for (const simt::LaunchCounts& launch : report.launches) report.all_counted &= launch.uncounted_blocks == 0;
    return report;
}

std::uint64_t link_bytes() { return FIND(simt_link_bytes)(-1, -1); }

}  // namespace conflict_free::model
