// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the parts of the model share between launches.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/budget.hpp"
#include "simt/model.hpp"

namespace simt::report {

/// The model's state: the machine, those who listen, what has been counted and what went wrong.
struct Session {
    /// Held by whoever reads or changes what stands below, but for the time of a launch's own listeners. Recursive, as a
    /// signal can interrupt the one who holds it.
    std::recursive_mutex mutex;
    const Machine* machine = &machines().front();
    std::vector<Listener*> listeners;
    std::vector<LaunchCounts> launches;
    std::vector<Hazard> hazards;
    /// What stopped a kernel before its end and is no hazard, such as a time-out.
    std::vector<Message> errors;
    /// The source files of the kernels that were launched, as the compiler was given them.
    std::set<std::string> files;
    /// How much of all launches is counted.
    Budget budget;
    /// How much processor time one kernel may take, where that is limited.
    std::optional<std::chrono::duration<double>> timeout;

    /// Adds a hazard unless the same kind on the same lines of the same kernel is there already.
    void add(Hazard hazard);
    void add(LaunchCounts counts);
    void add_error(Message message);
};

Session& session();

/// The launch that runs now, for those who report. Set by the device before the launch's first event; while there are
/// listeners, one launch runs at a time.
struct CurrentLaunch {
    std::string kernel;
    LaunchInfo info;
    Extent block;
    /// Set while a kernel runs.
    bool running = false;
    std::function<SourcePlace(std::uint32_t program_counter)> place_of;
};

CurrentLaunch& current_launch();

}  // namespace simt::report
