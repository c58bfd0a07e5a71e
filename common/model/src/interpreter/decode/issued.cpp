// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "interpreter/decode/issued.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace simt::interpreter {

namespace {

using ptx::Type;

template <std::size_t n> bool is_one_of(std::string_view opcode, const std::array<std::string_view, n>& opcodes) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}

constexpr std::array<std::string_view, 3> sums{"add", "sub", "fma"};
constexpr std::array<std::string_view, 8> functions{"cos", "ex2", "lg2", "rcp", "rsqrt", "sin", "sqrt", "tanh"};
constexpr std::array<std::string_view, 2> of_warps{"mma", "shfl"};
constexpr std::array<std::string_view, 6> ends_block{"bra", "brx", "call", "exit", "ret", "trap"};

simt::Work issued_by(const ptx::Instruction& instruction) {
    if (instruction.guard >= 0) return {};
    const Type type = instruction.type();
    if (is_one_of(instruction.opcode, of_warps)) return {.instructions = 1};
    if (is_one_of(instruction.opcode, functions)) {
        const std::uint64_t one = type == Type::f32 && instruction.has("approx");
        return {.instructions = one, .special_functions = one};
    }
    if (!is_one_of(instruction.opcode, sums)) return {};
    if (type == Type::f64) return {.instructions = 1, .double_precision = 1};
    return {.instructions = type == Type::f32 || type == Type::f16x2 || type == Type::bf16x2};
}

}  // namespace

ptx::Numbered<simt::Work> issued_by_blocks(const ptx::Function& function) {
    const auto count = function.instructions.size();
    ptx::Numbered<bool> begins(count + 1, false);
    for (const ptx::Label& label : function.labels) begins[label.instruction] = true;
    ptx::Numbered<simt::Work> issued(count);
    int first = 0;
    for (int at = 0; at < static_cast<int>(count); ++at) {
        const ptx::Instruction& instruction = function.instructions[at];
        if (begins[at]) first = at;
        issued[first] += issued_by(instruction);
        if (is_one_of(instruction.opcode, ends_block)) begins[at + 1] = true;
    }
    return issued;
}

}  // namespace simt::interpreter
