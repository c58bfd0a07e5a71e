// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Kernels whose effect is known once they have run: on the same memory, with the same arguments, they do the same again.
#pragma once

#include "ptx/module.hpp"

namespace simt::interpreter {

/// Whether an instruction writes to global memory in no other way than by `st`, and orders no blocks among one another. Of a call it is
/// true: that depends on what is called.
bool is_repeatable(const ptx::Instruction& instruction);
/// The same of an operand: not a clock, nor the number of the launch or of a multiprocessor.
bool is_repeatable(const ptx::Operand& operand);

}  // namespace simt::interpreter
