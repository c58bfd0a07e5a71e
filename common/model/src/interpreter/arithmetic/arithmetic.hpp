// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The instructions that look at nothing but the registers of their own lane: integer, floating point, half and packed
/// arithmetic, comparison, selection, logic, shifts, conversion, data movement between registers, video instructions.
#pragma once

#include "interpreter/decode/instruction.hpp"
#include "ptx/module.hpp"

namespace simt::interpreter {

/// What `instruction` means, by the PTX ISA document; `execute` is null if it is none of these, or is not known.
/// Handlers work on the lanes of `RegisterFile::active` alone, whatever the others hold.
Semantics find_arithmetic(const ptx::Instruction& instruction);

}  // namespace simt::interpreter
