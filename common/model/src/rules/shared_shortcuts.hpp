// Shortcuts for the most common accesses: they count the wavefronts of the rule of shared_service.hpp without serving them.
// tests/rules/rules_reference_test.cpp compares them with the rule.
#pragma once

#include "simt/events.hpp"
#include "simt/shared_memory.hpp"

namespace simt::rules {

/// The cost of an access other than an atomic operation whose lanes are served one by one. No wavefronts if no shortcut applies.
SharedCost shortcut_cost(const WarpAccess& access, const SharedMemory& memory);

}  // namespace simt::rules
