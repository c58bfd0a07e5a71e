// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What atomic operations do to one element.
#pragma once

#include <cstdint>

#include "ptx/module.hpp"

namespace simt::interpreter {

enum class Update : std::uint8_t { add, minimum, maximum, increment, decrement, bit_and, bit_or, bit_xor, exchange, compare_and_swap };

/// The operation that an instruction names; false if it names none.
bool find_update(const ptx::Instruction& instruction, Update& update);
/// Updates an element of 2, 4 or 8 bytes in one step, and returns what was there.
std::uint64_t update_element(Update update, ptx::Type type, unsigned char* at, std::uint64_t value);

}  // namespace simt::interpreter
