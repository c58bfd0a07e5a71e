// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The instructions that look at nothing but the registers of their own lane: integer, floating point, half and packed
/// arithmetic, comparison, selection, logic, shifts, conversion, data movement between registers, video instructions.
#pragma once

#include "ptx/module.hpp"
#include "warp/instruction.hpp"

namespace simt::warp {

/// What `instruction` means, by the PTX ISA document; `execute` is null if it is none of these, or is not known.
/// Handlers work on the lanes of `RegisterFile::active` alone, whatever the others hold.
Semantics find_arithmetic(const ptx::Instruction& instruction);

}  // namespace simt::warp
