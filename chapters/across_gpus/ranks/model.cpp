// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "model.hpp"

#include <dlfcn.h>

#include <nlohmann/json.hpp>

namespace across_gpus {
namespace {

template <class Function>
Function* find(const char* name)
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::string model_machine()
{
    auto* machine = find<const char*()>("simt_machine");
    return machine ? machine() : "";
}

std::size_t bytes_over_links()
{
    auto* bytes = find<unsigned long long(int, int)>("simt_link_bytes");
    return bytes ? bytes(-1, -1) : 0;
}

std::string first_hazard()
{
    auto* take_report = find<const char*()>("simt_take_report");
    if (!take_report) return "";
    const nlohmann::json report = nlohmann::json::parse(take_report());
    for (const auto& hazard : report["hazards"])
        return hazard["kind"].get<std::string>() + " in " + hazard["kernel"].get<std::string>() + ": " + hazard["message"].get<std::string>();
    for (const auto& error : report["errors"]) return error.get<std::string>();
    return "";
}

}  // namespace across_gpus
