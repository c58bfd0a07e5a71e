#include "interpreter/decode/issued.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

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

/// The first instruction of each instruction's basic block.
ptx::Numbered<int> blocks_of(const ptx::Function& function) {
    const auto count = function.instructions.size();
    ptx::Numbered<bool> begins(count + 1, false);
    for (const ptx::Label& label : function.labels) begins[label.instruction] = true;
    ptx::Numbered<int> first(count);
    for (int at = 0, block = 0; at < first.count(); ++at) {
        if (begins[at]) block = at;
        first[at] = block;
        if (is_one_of(function.instructions[at].opcode, ends_block)) begins[at + 1] = true;
    }
    return first;
}

bool is_product(const ptx::Instruction& instruction) {
    constexpr auto is_register = [](const ptx::Operand& operand) { return operand.kind == ptx::Operand::Kind::reg; };
    return instruction.opcode == "mul" && instruction.type() == Type::f32 && instruction.guard < 0 && instruction.operands.size() == 3 &&
           std::ranges::all_of(instruction.operands, is_register);
}

/// The products that stay instructions of their own: no sum could take them in.
std::vector<int> lasting_products(const ptx::Function& function, const ptx::Numbered<int>& blocks) {
    struct Value {
        int product = -1;
        bool is_factor_in_its_block = false, has_other_use = false;
    };
    ptx::Numbered<Value> values(function.registers.size());
    for (int at = 0; at < blocks.count(); ++at) {
        const ptx::Instruction& instruction = function.instructions[at];
        const bool takes_products = instruction.opcode == "fma" && instruction.type() == Type::f32;
        for (std::size_t n = 0; n < instruction.operands.size(); ++n)
            for_each_register(instruction.operands[n], [&](int number) {
                Value& value = values[number];
                if (n == 0 && value.product < 0 && is_product(instruction)) value.product = at;
                else if (n == 0 || !takes_products) value.has_other_use = true;
                else if (value.product >= 0 && blocks[value.product] == blocks[at]) value.is_factor_in_its_block = true;
            });
    }
    std::vector<int> found;
    for (const Value& value : values)
        if (value.is_factor_in_its_block && !value.has_other_use) found.push_back(value.product);
    return found;
}

}  // namespace

ptx::Numbered<simt::Work> issued_by_blocks(const ptx::Function& function) {
    const ptx::Numbered<int> blocks = blocks_of(function);
    ptx::Numbered<simt::Work> issued(blocks.size());
    for (int at = 0; at < blocks.count(); ++at) issued[blocks[at]] += issued_by(function.instructions[at]);
    for (const int product : lasting_products(function, blocks)) ++issued[blocks[product]].instructions;
    return issued;
}

}  // namespace simt::interpreter
