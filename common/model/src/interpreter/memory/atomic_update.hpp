// The update of one element by an atomic operation.
#pragma once

#include <cstdint>

#include "ptx/module.hpp"

namespace simt::interpreter {

enum class Update : std::uint8_t { add, minimum, maximum, increment, decrement, bit_and, bit_or, bit_xor, exchange, compare_and_swap };

/// Sets `update` to the operation that an instruction names; returns false if it names none.
bool find_update(const ptx::Instruction& instruction, Update& update);
/// Updates an element of 2, 4 or 8 bytes atomically, and returns its old value.
std::uint64_t update_element(Update update, ptx::Type type, unsigned char* at, std::uint64_t value);

}  // namespace simt::interpreter
