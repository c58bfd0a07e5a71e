// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The questions of a host program to the counting model: which machine, what was counted, and what went wrong.
#pragma once

#include <vector>

#include "simt/counts.hpp"
#include "simt/events.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"

namespace simt {

/// Chooses the machine whose rules apply to later launches. The first of machines() applies until then.
void set_machine(const Machine& machine);

/// The machine whose rules apply.
const Machine& current_machine();

/// The counts of all launches since the last call, in order. A launch that was stopped has its counts up to the stop.
std::vector<LaunchCounts> take_launches();

/// The hazards found since the last call.
std::vector<Hazard> take_hazards();

/// The errors that stopped kernels since the last call and are not hazards, such as a time-out.
std::vector<Message> take_errors();

/// The source line of an instruction of the launch that runs. Line 0 if the program has no debug information for it.
SourcePlace source_place(std::uint32_t program_counter);

/// Adds a listener that hears later launches too. It must outlive them.
void add_listener(Listener& listener);

/// Removes a listener.
void remove_listener(Listener& listener);

}  // namespace simt
