// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What a host program asks of the counting model: which machine, and what was counted.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simt/counts.hpp"
#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt {

/// A kernel did what no kernel may, and cannot be run on. The message names kernel, block and threads.
class KernelError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Chooses the machine whose rules apply to later launches. The first of machines() applies until then.
void set_machine(const Machine& machine);

/// The machine whose rules apply.
const Machine& current_machine();

/// The counts of all launches since the last call, in order.
std::vector<LaunchCounts> take_launches();

/// Adds a listener that hears later launches too. It must outlive them.
void add_listener(Listener& listener);

/// Removes a listener.
void remove_listener(Listener& listener);

}  // namespace simt
