// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Memory faults and other signals that a kernel's thread causes.
#pragma once

#include <chrono>

namespace simt::detail {

/// From now on a thread of a kernel that causes a signal is stopped and reported instead of ending the program.
/// Signals from host code take their usual way. Does nothing when called again.
void catch_faults();

/// From now on a program that is asked to end, as by Ctrl+C, tells `Session::before_death` first.
void catch_requests();

/// Watches the processor time of a launch, so that a busy machine or a program that was suspended changes no outcome.
/// A launch whose thread never comes back to the model, as in a loop without accesses, is ended some time after `timeout`.
class Watchdog {
public:
    explicit Watchdog(std::chrono::duration<double> timeout);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// True when the launch has used up its `timeout`.
    static bool time_is_up();

private:
    static void start(std::chrono::duration<double> time);
};

}  // namespace simt::detail
