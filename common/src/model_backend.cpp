// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <exception>
#include <iterator>
#include <stdexcept>

#include "backend.hpp"
#include "conflict_free/error.hpp"
#include "simt/model.hpp"

namespace conflict_free {

namespace {

std::string in_one_line(const simt::Hazard& hazard)
{
    std::string lines;
    for (const auto& place : hazard.lines) lines += (lines.empty() ? "" : ", ") + place.file + ":" + std::to_string(place.line);
    return std::string(simt::name_of(hazard.kind)) + " at " + lines + ": " + hazard.message;
}

}  // namespace

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

Outcome run_once(const std::function<void()>& launch)
{
    simt::take_launches();
    simt::take_hazards();
    simt::take_errors();
    Outcome outcome;
    std::exception_ptr failure;
    try {
        launch();
    } catch (const CudaError&) {
        failure = std::current_exception();
    }
    for (simt::LaunchCounts& counts : simt::take_launches())
        if (outcome.counts)
            *outcome.counts += counts;
        else
            outcome.counts = std::move(counts);
    for (const simt::Hazard& hazard : simt::take_hazards()) outcome.hazards.push_back(in_one_line(hazard));
    std::ranges::move(simt::take_errors(), std::back_inserter(outcome.hazards));
    if (outcome.hazards.empty()) {
        if (failure) std::rethrow_exception(failure);
        return outcome;
    }
    // Unlike a GPU's, the model's device can be used again once its error has been taken.
    outcome.stopped = cudaGetLastError() != cudaSuccess || failure;
    return outcome;
}

bool takes_times() { return false; }

}  // namespace backend

Times measure_times(const std::function<void(int)>&, int, int, int)
{
    throw std::logic_error("the counting model takes no times");
}

double measure_sm_mhz(const std::function<void()>&, double) { throw std::logic_error("the counting model takes no times"); }

Spread measure_host_time(const std::function<void()>&, int) { throw std::logic_error("the counting model takes no times"); }

int sets_for_cold_samples(std::size_t) { return 1; }

}  // namespace conflict_free
