// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What a chapter program runs on: a GPU, which times, or the counting model, which counts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simt/counts.hpp"

namespace conflict_free::backend {

/// "gpu" or "model".
std::string build();

/// Chooses the machine whose rules are counted, instead of the default. Without effect on a GPU.
/// @throws UsageError for an unknown name
void choose_machine(const std::string& name);

/// The GPU's name, or the modelled machine's.
std::string machine();

/// The GPU that a chapter program runs on.
struct Device {
    std::string name;
    /// Such as "9.0".
    std::string compute_capability;
    std::size_t l2_bytes;
    std::size_t memory_bytes;
};

/// The GPU, or nothing under the model.
std::optional<Device> device();

/// Compute capability of the GPU or of the modelled machine, such as "9.0".
std::string compute_capability();

/// Why there is nothing to run on; empty if there is.
std::string missing_device();

/// What came of running a kernel once.
struct Outcome {
    /// What was counted; nothing on a GPU and for library calls.
    std::optional<simt::LaunchCounts> counts;
    /// The same launch by launch; nothing on a GPU, and where the model was told not to count all.
    std::optional<std::vector<simt::LaunchCounts>> launches;
    /// Bytes that devices sent each other.
    std::uint64_t link_bytes = 0;
    /// What the kernel did that no kernel may, one line each. Always empty on a GPU.
    std::vector<std::string> hazards;
    /// True if the kernel was stopped before its end, or not started, because of what `hazards` says. What it has written
    /// then means nothing. The device can be used again.
    bool stopped = false;
};

/// Runs `launch` once, to its end.
/// @throws CudaError if a call of the CUDA runtime failed and `hazards` would not say why
Outcome run_once(const std::function<void()>& launch);

/// True on a GPU: times are taken.
bool takes_times();

}  // namespace conflict_free::backend
