// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Shortcuts to the rule of shared_service.hpp, for the accesses that kernels make most. They count what the rule serves, without
/// serving it. tests/rules/rules_reference_test.cpp holds them against the rule.
#pragma once

#include "simt/events.hpp"
#include "simt/shared_memory.hpp"

namespace simt::rules {

/// What an access costs whose lanes a bank does not serve one by one, or no wavefronts where no shortcut holds.
SharedCost shortcut_cost(const WarpAccess& access, const SharedMemory& memory);

}  // namespace simt::rules
