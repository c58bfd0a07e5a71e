// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Integer division by zero ends a launch: a GPU would go on with a value that means nothing.
#pragma once

#include "ptx/module.hpp"
#include "warp/instruction.hpp"

namespace simt::warp {

/// Makes a decoded `div` or `rem` of integers of `type` look at its divisors first.
void watch_divisors(Instruction& instruction, ptx::Type type);

}  // namespace simt::warp
