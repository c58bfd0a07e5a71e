// The steps of chains of loads, by the text alone.

#include "interpreter/decode/chains.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace simt::interpreter::test {
namespace {

/// The steps of a kernel with these instructions.
std::vector<ChainStep> steps_of(const std::string& instructions, const std::set<int>& uncertain = {}) {
    const auto module = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
        ".reg .pred %p<4>;\n" +
        instructions + "ret;\n}\n");
    const auto& steps = find_chains(module.functions.front(), uncertain).steps;
    return {steps.begin(), steps.end() - 1};
}

using enum ChainStep;
using Steps = std::vector<ChainStep>;
constexpr const char* two_loads = "ld.global.u64 %d1, [%d0];\nadd.s64 %d2, %d1, 8;\nld.global.u32 %r1, [%d2];\n";

TEST(ChainSteps, AreThoseOfValuesThatGoIntoAddresses) {
    EXPECT_EQ(steps_of(two_loads), (Steps{load, pass_on, load}));
    // The sum of the loaded numbers goes into no address, and is not followed.
    EXPECT_EQ(steps_of(std::string(two_loads) + "add.s32 %r2, %r1, %r2;\nst.global.u32 [%d0], %r2;\n"),
              (Steps{load, pass_on, load, none, none}));
    EXPECT_EQ(steps_of(std::string(two_loads) + "st.global.u64 [%d0], %d1;\n"), (Steps{load, pass_on, load, need}));
}

TEST(ChainSteps, LeaveOutLoadsThatTheMachineCodeMayNotHave) {
    // The instructions begin at line 9 of the text.
    EXPECT_EQ(steps_of(two_loads, {9}), (Steps{none, none, none}));
    EXPECT_EQ(steps_of(two_loads, {11}), (Steps{none, none, none}));
    EXPECT_EQ(steps_of("ld.local.u64 %d1, [%d0];\nld.global.u32 %r1, [%d1];\n"), (Steps{none, none}));
    EXPECT_EQ(steps_of("ld.param.u64 %d1, [%d0];\nld.global.u32 %r1, [%d1];\n"), (Steps{none, none}));
}

TEST(ChainSteps, DoNotFollowAResultThatMayNotNeedItsSources) {
    const std::string loads = "ld.global.u64 %d1, [%d0];\nld.global.u64 %d2, [%d0];\n", use = "ld.global.u32 %r1, [%d3];\n";
    EXPECT_EQ(steps_of(loads + "add.s64 %d3, %d1, %d2;\n" + use), (Steps{load, load, pass_on, load}));
    // Each half of 64 bits has a register of its own.
    EXPECT_EQ(steps_of(loads + "or.b64 %d3, %d1, %d2;\n" + use), (Steps{none, none, none, none}));
    EXPECT_EQ(steps_of(loads + "and.b64 %d3, %d1, 240;\n" + use), (Steps{load, none, pass_on, load}));
    EXPECT_EQ(steps_of(loads + "selp.b64 %d3, %d1, %d2, %p1;\n" + use), (Steps{load, load, select, load}));
    // Another write of the register begins anew.
    EXPECT_EQ(steps_of("mov.u64 %d1, 0;\n" + std::string(two_loads)), (Steps{begin, load, pass_on, load}));
}

}  // namespace
}  // namespace simt::interpreter::test
