// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the parts of the model share between launches.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "simt/model.hpp"

namespace simt::detail {

/// The model's state: the machine, those who listen, what has been counted and what went wrong.
struct Session {
    const Machine* machine = &machines().front();
    std::vector<Listener*> listeners;
    std::vector<LaunchCounts> launches;
    std::vector<Hazard> hazards;
    /// What stopped a kernel before its end and is no hazard, such as a time-out.
    std::vector<std::string> errors;
    /// How much processor time one kernel may take.
    std::chrono::duration<double> timeout{60};
    /// Called when the host program is about to die of a signal; null if nobody wants to know.
    void (*before_death)(int signal) = nullptr;

    /// Adds a hazard unless the same kind on the same lines of the same kernel is there already.
    void add(Hazard hazard);
};

Session& session();

/// The launch that runs now, for those who report.
struct CurrentLaunch {
    std::string kernel;
    LaunchInfo info;
    Extent block;
};

CurrentLaunch& current_launch();

}  // namespace simt::detail
