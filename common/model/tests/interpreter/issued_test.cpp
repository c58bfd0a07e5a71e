// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

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

}  // namespace
}  // namespace simt::interpreter::test
