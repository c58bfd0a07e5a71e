// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The parts of find_arithmetic(): each knows one family of instructions, and returns a Semantics without a handler for
/// all others.
#pragma once

#include <cstdint>

#include "interpreter/decode/instruction.hpp"
#include "ptx/module.hpp"

namespace simt::interpreter {

Semantics find_integer(const ptx::Instruction& instruction);
Semantics find_carry(const ptx::Instruction& instruction);
Semantics find_logic(const ptx::Instruction& instruction);
Semantics find_bits(const ptx::Instruction& instruction);
Semantics find_move(const ptx::Instruction& instruction);
Semantics find_compare(const ptx::Instruction& instruction);
Semantics find_float(const ptx::Instruction& instruction);
Semantics find_approximate(const ptx::Instruction& instruction);
Semantics find_half(const ptx::Instruction& instruction);
Semantics find_convert(const ptx::Instruction& instruction);
Semantics find_small_convert(const ptx::Instruction& instruction);
Semantics find_video(const ptx::Instruction& instruction);

/// Calls `f` with a value of the C++ type for `type` (16, 32 or 64 bits, signedness as given; `.b` is unsigned), and
/// returns the handler that it gives; null for other types.
template <class F>
Execute with_integer(ptx::Type type, F f)
{
    switch (type) {
        case ptx::Type::b16:
        case ptx::Type::u16: return f(std::uint16_t{});
        case ptx::Type::s16: return f(std::int16_t{});
        case ptx::Type::b32:
        case ptx::Type::u32: return f(std::uint32_t{});
        case ptx::Type::s32: return f(std::int32_t{});
        case ptx::Type::b64:
        case ptx::Type::u64: return f(std::uint64_t{});
        case ptx::Type::s64: return f(std::int64_t{});
        default: return nullptr;
    }
}

/// The same for operations on bits alone: `f` gets an unsigned value of the size of `type`, which may be any type of
/// 16, 32 or 64 bits.
template <class F>
Execute with_bits(ptx::Type type, F f)
{
    switch (ptx::bytes_of(type)) {
        case 2: return f(std::uint16_t{});
        case 4: return f(std::uint32_t{});
        case 8: return f(std::uint64_t{});
        default: return nullptr;
    }
}

}  // namespace simt::interpreter
