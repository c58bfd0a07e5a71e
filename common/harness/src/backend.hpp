// The backend of a chapter program: a GPU, which times, or the counting model, which counts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simt/counts.hpp"

namespace conflict_free::backend {

/// "gpu" or "model".
std::string build();

/// Chooses the modeled machine in place of the default. Without effect on a GPU.
/// @throws UsageError for an unknown name
void choose_machine(const std::string& name);

/// The GPU's name, or the modeled machine's.
std::string machine();

/// The GPU that a chapter program runs on.
struct Device {
    std::string name;
    /// The compute capability, such as "9.0".
    std::string compute_capability;
    std::size_t l2_bytes;
    std::size_t memory_bytes;
};

/// The GPU, or nothing under the model.
std::optional<Device> device();

/// Compute capability of the GPU or of the modeled machine, such as "9.0".
std::string compute_capability();

/// Why neither a GPU nor the model can be used; empty if one can.
std::string missing_device();

/// The result of running a kernel once.
struct Outcome {
    /// The counts; none on a GPU and for library calls.
    std::optional<simt::LaunchCounts> counts;
    /// The counts of each launch; none on a GPU, and where the user had the model count fewer than all.
    std::optional<std::vector<simt::LaunchCounts>> launches;
    /// Bytes that devices sent each other.
    std::uint64_t link_bytes = 0;
    /// The hazards that the model found, one line each. Always empty on a GPU.
    std::vector<std::string> hazards;
    /// True if a hazard stopped the kernel before its end, or kept it from starting. Its output then means nothing. The device can
    /// be used again.
    bool stopped = false;
};

/// Runs `launch` once, to its end.
/// @throws CudaError if a call of the CUDA runtime failed for a reason that `hazards` does not contain
Outcome run_once(const std::function<void()>& launch);

/// True on a GPU, which times.
bool takes_times();

}  // namespace conflict_free::backend
