#include "backend.hpp"

#include <exception>
#include <utility>

#include "conflict_free/device.hpp"
#include "conflict_free/error.hpp"
#include "model.hpp"
#include "simt/machine.hpp"

namespace conflict_free::backend {

namespace {

std::string in_one_line(const simt::Hazard& hazard) {
    std::string lines;
    for (const auto& place : hazard.lines) lines += (lines.empty() ? "" : ", ") + place.file + ":" + std::to_string(place.line);
    return std::string(simt::name_of(hazard.kind)) + " at " + lines + ": " + hazard.message.text();
}

void run_to_end(const std::function<void()>& launch) {
    launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

Outcome count(const std::function<void()>& launch) {
    model::take_report();
    const std::uint64_t sent_before = model::link_bytes();
    std::exception_ptr failure;
    try {
        run_to_end(launch);
    } catch (const CudaError&) {
        failure = std::current_exception();
    }
    model::Report report = model::take_report();
    Outcome outcome;
    outcome.link_bytes = model::link_bytes() - sent_before;
    for (const simt::LaunchCounts& counts : report.launches)
        if (outcome.counts) *outcome.counts += counts;
        else outcome.counts = counts;
    if (report.all_counted) outcome.launches = std::move(report.launches);
    for (const simt::Hazard& hazard : report.hazards) outcome.hazards.push_back(in_one_line(hazard));
    for (const simt::Message& error : report.errors) outcome.hazards.push_back(error.text());
    if (failure && outcome.hazards.empty()) std::rethrow_exception(failure);
    // cudaGetLastError() makes the model's device usable again, unlike a GPU's.
    if (failure) cudaGetLastError();
    outcome.stopped = failure != nullptr;
    return outcome;
}

}  // namespace

std::string build() { return model::is_there() ? "model" : "gpu"; }

void choose_machine(const std::string& name) {
    if (model::is_there()) model::choose_machine(name);
    else if (!simt::find_machine(name)) throw UsageError("--machine: got '" + name + "', accepted: " + simt::machine_names());
}

std::string machine() { return model::is_there() ? model::machine() : device()->name; }

std::optional<Device> device() {
    if (model::is_there()) return {};
    int number = 0;
    CUDA_CHECK(cudaGetDevice(&number));
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, number));
    return Device{properties.name, compute_capability(), static_cast<std::size_t>(properties.l2CacheSize), properties.totalGlobalMem};
}

std::string compute_capability() {
    const int capability = conflict_free::compute_capability();
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string missing_device() {
    if (model::is_there()) return {};
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (error != cudaSuccess) return cudaGetErrorString(error);
    return count == 0 ? "no CUDA-capable device is detected" : "";
}

Outcome run_once(const std::function<void()>& launch) {
    if (model::is_there()) return count(launch);
    run_to_end(launch);
    return {};
}

bool takes_times() { return !model::is_there(); }

}  // namespace conflict_free::backend
