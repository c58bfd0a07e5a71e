// The arithmetic that counts as issued, by basic block.

#include "interpreter/decode/issued.hpp"

#include <gtest/gtest.h>

#include "arithmetic_bench.hpp"

namespace simt::interpreter::test {
namespace {

ptx::Function function_of(std::initializer_list<const char*> instructions) {
    ptx::Function function;
    for (const char* text : instructions) function.instructions.push_back(instruction_of(text));
    return function;
}

TEST(Issued, CountsWhatPtxasNeitherJoinsNorLeavesOut) {
    struct Case {
        const char* text;
        std::uint64_t instructions, double_precision, special_functions;
    };
    for (const auto& [text, instructions, double_precision, special_functions] :
         std::initializer_list<Case>{{"fma.rn.f32", 1, 0, 0},
                                     {"add.ftz.f32", 1, 0, 0},
                                     {"sub.f64", 1, 1, 0},
                                     {"fma.rn.f64", 1, 1, 0},
                                     {"fma.rn.f16x2", 1, 0, 0},
                                     {"fma.rn.f16", 0, 0, 0},
                                     {"mul.f32", 0, 0, 0},
                                     {"add.s32", 0, 0, 0},
                                     {"ex2.approx.ftz.f32", 1, 0, 1},
                                     {"rcp.rn.f32", 0, 0, 0},
                                     {"ex2.approx.f16", 0, 0, 0},
                                     {"shfl.sync.bfly.b32", 1, 0, 0},
                                     {"mma.sync.aligned.m16n8k16", 1, 0, 0},
                                     {"div.approx.f32", 0, 0, 0}}) {
        const Work found = issued_by_blocks(function_of({text}))[0];
        EXPECT_EQ(found.instructions, instructions) << text;
        EXPECT_EQ(found.double_precision, double_precision) << text;
        EXPECT_EQ(found.special_functions, special_functions) << text;
    }
}

TEST(Issued, StandsAtTheFirstInstructionOfABlock) {
    ptx::Function function = function_of({"add.f32", "fma.rn.f32", "bra", "add.f32", "add.f32", "add.f64", "ret", "add.f32"});
    function.labels.push_back({"inside", 4});
    function.instructions[5].guard = 0;
    const auto issued = issued_by_blocks(function);
    const std::uint64_t expected[] = {2, 0, 0, 1, 1, 0, 0, 1};
    for (int at = 0; at < 8; ++at) EXPECT_EQ(issued[at].instructions, expected[at]) << at;
}

/// A function of these instructions, each with the numbers of the registers that it names, the result's first.
std::uint64_t issued_by(std::initializer_list<std::pair<const char*, std::vector<int>>> instructions) {
    ptx::Function function;
    function.registers.resize(10);
    for (const auto& [text, registers] : instructions) {
        ptx::Instruction& instruction = function.instructions.emplace_back(instruction_of(text, registers.size()));
        for (std::size_t n = 0; n < registers.size(); ++n) {
            instruction.operands[n].index = registers[n];
            if (registers[n] < 0) instruction.operands[n].kind = ptx::Operand::Kind::floating;
        }
    }
    std::uint64_t sum = 0;
    for (const Work& work : issued_by_blocks(function)) sum += work.instructions;
    return sum;
}

TEST(Issued, AProductCountsIfNoSumCanTakeItIn) {
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"fma.rn.f32", {3, 0, 1, 2}}}), 2);
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 0}}, {"fma.rn.f32", {3, 2, 2, 1}}, {"mul.f32", {4, 0, 3}}}), 2);
    // A plain sum takes the product, too.
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"fma.rn.f32", {3, 0, 1, 2}}, {"add.f32", {4, 2, 3}}}), 2);
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"add.f32", {4, 2, 3}}}), 1);
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"mov.f32", {4, 2}}, {"fma.rn.f32", {3, 0, 1, 2}}}), 1);
    // The product's block may run without a block that needs the product.
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"bra", {}}, {"fma.rn.f32", {3, 0, 1, 2}}}), 1);
    // Another factor may be a power of two, or another instruction makes the value.
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, -1}}, {"fma.rn.f32", {3, 0, 1, 2}}}), 1);
    EXPECT_EQ(issued_by({{"mul.f32", {2, 0, 1}}, {"fma.rn.f32", {3, 0, 1, 2}}, {"mul.f32", {2, 3, 3}}}), 1);
    EXPECT_EQ(issued_by({{"mul.f64", {2, 0, 1}}, {"fma.rn.f64", {3, 0, 1, 2}}}), 1);
}

}  // namespace
}  // namespace simt::interpreter::test
