// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "interpreter/arithmetic/arithmetic.hpp"

#include "interpreter/decode/finders.hpp"

namespace simt::interpreter {

Semantics find_arithmetic(const ptx::Instruction& instruction)
{
    static constexpr Semantics (*finders[])(const ptx::Instruction&) = {
        find_move,  find_carry,       find_integer, find_logic,   find_bits,          find_compare,
        find_float, find_approximate, find_half,    find_convert, find_small_convert, find_video,
    };
    for (const auto find : finders)
        if (const Semantics found = find(instruction); found.execute) return found;
    return {};
}

}  // namespace simt::interpreter
