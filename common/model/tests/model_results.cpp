#include "model_results.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <utility>

#include "simt/interface.h"
#include "simt/json.hpp"

namespace model {

namespace {

/// A function of the model's interface. A program that runs on a GPU does not find it.
template <class Function> Function* find(const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    if (!found) throw std::runtime_error(std::string(name) + ": not found; this test runs under the counting model only");
    return reinterpret_cast<Function*>(found);
}

/// The parts of the model's report that no test has taken.
struct Reported {
    std::vector<simt::LaunchCounts> launches;
    std::vector<simt::Hazard> hazards;
    std::vector<simt::Message> errors;
};

template <class Each> void append(std::vector<Each>& to, const nlohmann::json& from) {
    for (const auto& each : from) to.push_back(each.get<Each>());
}

Reported& fetch() {
    static Reported reported;
    const auto report = nlohmann::json::parse(find<decltype(simt_take_report)>("simt_take_report")());
    append(reported.launches, report.at("kernels"));
    append(reported.hazards, report.at("hazards"));
    append(reported.errors, report.at("errors"));
    return reported;
}

}  // namespace

void set_machine(const std::string& name) {
    if (find<decltype(simt_set_machine)>("simt_set_machine")(name.c_str()) != 0) throw std::invalid_argument("there is no machine " + name);
}

const simt::Machine& current_machine() { return *simt::find_machine(find<decltype(simt_machine)>("simt_machine")()); }

std::vector<simt::LaunchCounts> take_launches() { return std::exchange(fetch().launches, {}); }
std::vector<simt::Hazard> take_hazards() { return std::exchange(fetch().hazards, {}); }
std::vector<simt::Message> take_errors() { return std::exchange(fetch().errors, {}); }

}  // namespace model
