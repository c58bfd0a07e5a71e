// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <stdexcept>

#include "backend.hpp"
#include "conflict_free/error.hpp"
#include "simt/model.hpp"

namespace conflict_free {

namespace backend {

std::string build() { return "model"; }

void choose_machine(const std::string& name)
{
    const simt::Machine* machine = simt::find_machine(name);
    if (!machine) throw UsageError("--machine: got '" + name + "', accepted: " + simt::machine_names());
    simt::set_machine(*machine);
}

std::string machine() { return simt::current_machine().name; }

std::optional<Device> device() { return {}; }

std::string missing_device() { return {}; }

std::optional<simt::LaunchCounts> count(const std::function<void()>& launch)
{
    simt::take_launches();
    launch();
    auto launches = simt::take_launches();
    if (launches.empty()) return {};
    simt::LaunchCounts sum = std::move(launches.front());
    for (std::size_t i = 1; i < launches.size(); ++i) sum += launches[i];
    return sum;
}

bool takes_times() { return false; }

}  // namespace backend

Times measure_times(const std::function<void(int)>&, int, int)
{
    throw std::logic_error("the counting model takes no times");
}

int sets_for_cold_samples(std::size_t) { return 1; }

}  // namespace conflict_free
