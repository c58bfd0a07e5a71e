// The counting model's answers to a CUDA program that runs under it, for tests: through the model's C interface, as any
// program can ask.
#pragma once

#include <string>
#include <vector>

#include "device/printed_message.hpp"
#include "simt/counts.hpp"
#include "simt/hazard.hpp"
#include "simt/machine.hpp"

namespace model {

/// Chooses the machine whose rules apply to later launches.
void set_machine(const std::string& name);

/// The machine whose rules apply.
const simt::Machine& current_machine();

/// The counts of all launches since the last call, in order.
std::vector<simt::LaunchCounts> take_launches();

/// The hazards found since the last call.
std::vector<simt::Hazard> take_hazards();

/// The errors, other than hazards, that have stopped kernels since the last call.
std::vector<simt::Message> take_errors();

}  // namespace model
