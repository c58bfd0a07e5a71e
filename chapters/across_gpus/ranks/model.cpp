// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "model.hpp"

#include <dlfcn.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace across_gpus {
namespace {

template <class Function>
Function* find(const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

constexpr std::size_t NO_LAUNCH = -1;

// With the kernels from a launch on. Nothing in it on a GPU.
nlohmann::json report_from(std::size_t launch)
{
    auto* look_at_report = find<const char*(unsigned long long)>("simt_look_at_report");
    if (look_at_report)
        return nlohmann::json::parse(look_at_report(launch));
    return {{"kernels", nlohmann::json::array()}, {"hazards", nlohmann::json::array()},
        {"errors", nlohmann::json::array()}};
}

}  // namespace

std::string model_machine()
{
    auto* machine = find<const char*()>("simt_machine");
    return machine ? machine() : "";
}

void choose_machine(const std::string& name)
{
    auto* set_machine = find<int(const char*)>("simt_set_machine");
    if (!set_machine)
        throw std::runtime_error(
            "--machine: '" + name + "' given, and this is no run under the counting model");
    if (set_machine(name.c_str()) != 0)
        throw std::runtime_error("--machine: '" + name + "' given, one of " +
                                 find<const char*()>("simt_machine_names")() + " is accepted");
}

Counted Counting::take()
{
    Counted counted;
    if (auto* bytes = find<unsigned long long(int, int)>("simt_link_bytes")) {
        const std::size_t until_now = bytes(-1, -1);
        counted.link_bytes = until_now - std::exchange(link_bytes_, until_now);
    }
    const nlohmann::json report = report_from(launches_);
    launches_ += report["kernels"].size();
    counted.all = !report.contains("uncounted");
    for (const auto& kernel : report["kernels"]) {
        const std::string name = kernel["name"];
        counted.all = counted.all && !kernel.contains("counted_blocks");
        if (name.find("transpose_blocks") == std::string::npos &&
            name.find("place_blocks") == std::string::npos)
            continue;
        counted.loaded += kernel["global_load"]["bytes"].get<std::size_t>();
        counted.stored += kernel["global_store"]["bytes"].get<std::size_t>();
        for (const char* space : {"shared_load", "shared_store"})
            counted.conflicts += kernel[space]["conflicts"].get<std::size_t>();
    }
    return counted;
}

std::string first_hazard()
{
    const nlohmann::json report = report_from(NO_LAUNCH);
    for (const auto& hazard : report["hazards"])
        return hazard["kind"].get<std::string>() + " in " + hazard["kernel"].get<std::string>() + ": " +
               hazard["message"].get<std::string>();
    for (const auto& error : report["errors"])
        return error.get<std::string>();
    return "";
}

}  // namespace across_gpus
