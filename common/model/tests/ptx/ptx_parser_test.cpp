#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>

#include "parsed_ptx.hpp"

namespace simt::ptx {
namespace {

using Kind = Operand::Kind;

/// The function that has `body` between its braces, and a register of each kind.
Function function_of(const std::string& body, const std::string& before = "") {
    Module module =
        module_of(before +
                  ".visible .entry k(.param .u64 a, .param .align 8 .b8 s[40])\n{\n.reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;"
                  ".reg .f32 %f<5>; .reg .v4 .f32 v;\n" +
                  body + "\nret;\n}\n");
    return std::move(module.functions.back());
}

std::string error_of_body(const std::string& body) {
    return error_of(".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{ .reg .b32 %r<3>; .reg .pred %p;\n" + body + "\n}\n");
}

const Register& register_of(const Function& function, const Operand& operand) {
    return function.registers.at(static_cast<std::size_t>(operand.index));
}

TEST(PtxModule, HasVersionTargetAndAddressSize) {
    const Module module =
        parse("// comment\n/* and\nanother */ .version 8.7\n.target sm_75, texmode_independent, debug\n.address_size 64\n");
    EXPECT_EQ(module.version, 87);
    EXPECT_EQ(module.target, "sm_75");
    EXPECT_EQ(module.address_bytes, 8);
}

TEST(PtxModule, OfANewerVersionIsRefused) {
    EXPECT_EQ(error_of(".version 9.6\n.target sm_90\n"),
              "PTX line 1: got PTX of version 9.6, accepted: up to 9.5: build the program with an nvcc that writes this");
    EXPECT_NE(error_of(".version 10.0\n.target sm_90\n").find("version 10.0"), std::string::npos);
    EXPECT_NE(error_of("int main() {}").find("begins with .version"), std::string::npos);
}

TEST(PtxFunctions, HaveParametersReturnsAndDirectives) {
    const Module module = module_of(
        ".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y) .noreturn;\n"
        ".weak .func (.param .align 8 .b8 out[16]) f(.param .b32 x) { ret; }\n"
        ".entry e(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 q[12]) .maxntid 128, 2 .minnctapersm 2 .maxnreg 64\n"
        ".reqnctapercluster 2, 1, 1 .explicitcluster .maxclusterrank 8 .pragma \"nounroll\"; .abi_preserve 5 { ret; }\n.entry bare "
        ".reqntid 32 { ret; }");
    ASSERT_EQ(module.functions.size(), 4u);
    const Function& extern_function = module.functions[0];
    EXPECT_EQ(extern_function.linkage, Linkage::external);
    EXPECT_FALSE(extern_function.has_body);
    EXPECT_EQ(extern_function.parameters.size(), 2u);
    EXPECT_EQ(module.functions[1].returns[0].bytes, 16u);
    EXPECT_EQ(module.functions[1].linkage, Linkage::weak);
    const Function& entry = module.functions[2];
    EXPECT_TRUE(entry.is_entry);
    EXPECT_EQ(entry.parameters[0].alignment, 8u);
    EXPECT_EQ(entry.parameters[1].bytes, 12u);
    EXPECT_EQ(entry.max_threads, (std::array<int, 3>{128, 2, 1}));
    EXPECT_EQ(entry.required_threads, (std::array<int, 3>{0, 0, 0}));
    EXPECT_EQ(entry.required_cluster, (std::array<int, 3>{2, 1, 1}));
    EXPECT_EQ(entry.min_blocks, 2);
    EXPECT_EQ(entry.max_registers, 64);
    EXPECT_TRUE(entry.explicit_cluster);
    EXPECT_EQ(module.functions[3].required_threads[0], 32);
}

TEST(PtxFunctions, DeclaredFirstKeepTheirPlace) {
    const Module module = module_of(
        ".func f(.param .b32 a);\n.entry k() { ret; }\n.func f(.param .b32 b) { ret; }\n.func g(.param .b32 b) { ret; }\n.alias f2, "
        "g;.func f2(.param .b32 b);");
    EXPECT_EQ(module.functions[0].name, "f");
    EXPECT_TRUE(module.functions[0].has_body);
    EXPECT_EQ(module.functions[0].parameters[0].name, "b");
    EXPECT_EQ(module.aliases.at("f2"), "g");
}

TEST(PtxRegisters, AreNumberedAndShadowed) {
    const Function function = function_of("mov.b32 %r8, 1;\n{ .reg .b32 %r8, t; mov.b32 %r8, t; }\nmov.b32 %r8, 2; mov.f32 v.y, v.a;");
    EXPECT_EQ(function.registers.size(), 3u + 9u + 5u + 5u + 1u + 2u);
    const auto& code = function.instructions;
    EXPECT_EQ(register_of(function, code[0].operands[0]).name, "%r8");
    EXPECT_NE(code[0].operands[0].index, code[1].operands[0].index);
    EXPECT_EQ(register_of(function, code[1].operands[0]).name, "%r8");
    EXPECT_EQ(code[0].operands[0].index, code[2].operands[0].index);
    EXPECT_EQ(code[3].operands[0].component, 1);
    EXPECT_EQ(code[3].operands[1].component, 3);
    EXPECT_EQ(register_of(function, code[3].operands[1]).vector, 4);
}

TEST(PtxRegisters, SpecialOnesKeepTheirComponents) {
    const Function function = function_of("mov.u32 %r1, %tid.x; mov.u64 %rd1, %clock64; mov.u32 %r1, %lanemask_lt; mov.u32 %r1, %envreg7;");
    EXPECT_EQ(function.instructions[0].operands[1].kind, Kind::special);
    EXPECT_EQ(function.instructions[0].operands[1].name, "%tid.x");
    EXPECT_EQ(function.instructions[1].operands[1].name, "%clock64");
    EXPECT_EQ(function.instructions[3].operands[1].kind, Kind::special);
}

TEST(PtxInstructions, HaveModifiersGuardsAndLines) {
    const Function function = function_of("@!%p2 ld.volatile.shared::cta.L2::cache_hint.v2.f32 {%f1, %f2}, [%rd1+-8];");
    const Instruction& load = function.instructions[0];
    EXPECT_EQ(load.opcode, "ld");
    EXPECT_TRUE(load.has("shared::cta"));
    EXPECT_TRUE(load.has("L2::cache_hint"));
    EXPECT_FALSE(load.has("shared"));
    EXPECT_EQ(load.type(), Type::f32);
    EXPECT_EQ(load.type(1), Type::none);
    EXPECT_TRUE(load.guard_negated);
    EXPECT_EQ(function.registers[static_cast<std::size_t>(load.guard)].name, "%p2");
    EXPECT_EQ(load.ptx_line, 7);
    EXPECT_EQ(load.operands[0].elements.size(), 2u);
    EXPECT_EQ(load.operands[1].kind, Kind::address);
    EXPECT_EQ(load.operands[1].base, Operand::Base::reg);
    EXPECT_EQ(load.operands[1].integer, -8);
}

TEST(PtxOperands, OfConstants) {
    const Function function = function_of(
        "op 10, 0x1F, 017, 0b101, 5U, -3, ~0, !0, (2+3*4), (.s64)(7/2), 1<<3|1, -8>>1, WARP_SZ, 1 > 2 ? 3 : 4, 0xFFFFFFFFFFFFFFFF, (-7) % "
        "4;\n"
        "op 0f3F800000, 0d4000000000000000, -1.5, 1e3, 0F80000000;");
    const std::int64_t expected[] = {10, 31, 15, 5, 5, -3, -1, 1, 14, 3, 9, -4, 32, 4, -1, -3};
    const auto& integers = function.instructions[0].operands;
    ASSERT_EQ(integers.size(), std::size(expected));
    for (std::size_t i = 0; i < integers.size(); ++i) {
        EXPECT_EQ(integers[i].kind, Kind::integer);
        EXPECT_EQ(integers[i].integer, expected[i]) << i;
    }
    const auto& floats = function.instructions[1].operands;
    EXPECT_TRUE(floats[0].is_float32);
    EXPECT_EQ(floats[0].integer, 0x3F800000);
    EXPECT_EQ(floats[1].kind, Kind::floating);
    EXPECT_FALSE(floats[1].is_float32);
    EXPECT_EQ(std::bit_cast<double>(floats[1].integer), 2.0);
    EXPECT_EQ(std::bit_cast<double>(floats[2].integer), -1.5);
    EXPECT_EQ(std::bit_cast<double>(floats[3].integer), 1000.0);
    EXPECT_EQ(floats[4].integer, 0x80000000);
}

TEST(PtxOperands, OfSymbolsAndAddresses) {
    const Function function = function_of(
        ".shared .align 4 .f32 t[8]; mov.u64 %rd1, t+4; mov.u64 %rd1, g; mov.u64 %rd1, k; ld.param.u64 %rd1, [a];\n"
        "ld.f32 %f1, [t+8]; ld.f32 %f1, [t[2]]; ld.f32 %f1, [64]; ld.f32 %f1, [%rd1]; ld.f32 %f1, [s+32]; ld.f32 %f1, [g - 4];",
        ".global .b32 g;\n");
    const auto operand = [&](std::size_t i) { return function.instructions.at(i).operands.at(1); };
    EXPECT_EQ(operand(0).kind, Kind::symbol);
    EXPECT_EQ(operand(0).scope, Operand::Scope::function_variable);
    EXPECT_EQ(operand(0).integer, 4);
    EXPECT_EQ(operand(1).scope, Operand::Scope::module_variable);
    EXPECT_EQ(operand(2).scope, Operand::Scope::function);
    EXPECT_EQ(operand(3).kind, Kind::address);
    EXPECT_EQ(operand(3).scope, Operand::Scope::parameter);
    EXPECT_EQ(operand(3).index, 0);
    EXPECT_EQ(operand(4).integer, 8);
    EXPECT_EQ(operand(5).integer, 8);
    EXPECT_EQ(operand(5).base, Operand::Base::symbol);
    EXPECT_EQ(operand(6).base, Operand::Base::none);
    EXPECT_EQ(operand(6).integer, 64);
    EXPECT_EQ(operand(7).base, Operand::Base::reg);
    EXPECT_EQ(operand(8).index, 1);
    EXPECT_EQ(operand(9).scope, Operand::Scope::module_variable);
    EXPECT_EQ(operand(9).integer, -4);
}

TEST(PtxOperands, OfManyKinds) {
    const Function function = function_of(
        "setp.eq.and.s32 %p1|%p2, %r1, %r2, !%p0; shfl.sync.up.b32 %r1|_, %r2, 1, 0, -1; mov.b64 {%r1, _}, %rd1;\n"
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f1, %f2}]; "
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];\n"
        "vadd.s32.u32.s32 %r1, -%r2.b0, %r3.h1; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, p, {%f1, %f2}];",
        ".global .texref t; .global .samplerref p;\n");
    const auto& code = function.instructions;
    ASSERT_EQ(code[0].operands[0].second.size(), 1u);
    EXPECT_EQ(register_of(function, code[0].operands[0].second[0]).name, "%p2");
    EXPECT_TRUE(code[0].operands[3].negated);
    EXPECT_EQ(code[1].operands[0].second[0].kind, Kind::sink);
    EXPECT_EQ(code[2].operands[0].elements[1].kind, Kind::sink);
    EXPECT_EQ(code[3].operands[0].kind, Kind::vector);
    EXPECT_EQ(code[3].operands[0].second.size(), 1u);
    EXPECT_EQ(code[3].operands[1].kind, Kind::compound);
    EXPECT_EQ(code[3].operands[1].elements[1].elements.size(), 2u);
    EXPECT_TRUE(code[4].has("mbarrier::complete_tx::bytes"));
    EXPECT_EQ(code[4].operands[2].kind, Kind::address);
    EXPECT_TRUE(code[5].operands[1].negated);
    EXPECT_EQ(code[5].operands[1].name, "b0");
    EXPECT_EQ(code[6].operands[1].elements.size(), 3u);
    EXPECT_EQ(code[6].operands[1].elements[0].scope, Operand::Scope::module_variable);
}

TEST(PtxLabels, AreScoped) {
    const Function function = function_of(
        "DONE: bra DONE;\n{ @%p1 bra DONE; add.s32 %r1, %r1, 1; DONE: add.s32 %r1, %r1, 2; }\n{ { bra DONE; } DONE: } bra.uni $L_end; "
        "$L_end:");
    const auto target = [&](std::size_t i) {
        const Operand& operand = function.instructions.at(i).operands.at(0);
        EXPECT_EQ(operand.kind, Kind::label);
        return function.labels.at(static_cast<std::size_t>(operand.index)).instruction;
    };
    EXPECT_EQ(target(0), 0);
    EXPECT_EQ(target(1), 3);
    EXPECT_EQ(target(4), 5);
    EXPECT_EQ(target(5), 6);
}

TEST(PtxLabels, OfBranchTables) {
    const Function function = function_of("table: .branchtargets A, B, A;\n@%p1 brx.idx.uni %r1, table;\nA: add.s32 %r1, %r1, 1;\nB:");
    ASSERT_EQ(function.targets.size(), 1u);
    EXPECT_EQ(function.targets[0].labels, (std::vector<int>{0, 1, 0}));
    const Operand& operand = function.instructions[0].operands[1];
    EXPECT_EQ(operand.kind, Kind::symbol);
    EXPECT_EQ(operand.name, "table");
    EXPECT_EQ(operand.index, 0);
    EXPECT_EQ(function.labels[1].instruction, 2);
}

TEST(PtxCalls, OfAllForms) {
    const Function function = function_of(
        "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0+0], %r1; call.uni (r0), f, (p0); ld.param.b32 %r2, [r0+0]; }\n"
        "call f; call (%r1), f; call f, (1, %r2);\n"
        "{ .param .b32 p0; .param .b32 r0; proto: .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[8], .param .b64 _) .noreturn;\n"
        "call (r0), %rd1, (p0), proto; }\nones: .calltargets f, g; call (%r1), %rd1, (%r2), ones;",
        ".func f(); .func g();\n");
    const auto call = [&](std::size_t i) { return function.instructions.at(i).operands; };
    ASSERT_EQ(call(1).size(), 3u);
    EXPECT_EQ(call(1)[0].elements[0].scope, Operand::Scope::function_variable);
    EXPECT_EQ(call(1)[1].scope, Operand::Scope::function);
    EXPECT_EQ(call(1)[2].elements[0].index, 0);
    EXPECT_EQ(function.variables[0].space, StateSpace::param);
    EXPECT_TRUE(call(3)[0].elements.empty());
    EXPECT_TRUE(call(3)[2].elements.empty());
    EXPECT_EQ(call(4)[0].elements.size(), 1u);
    EXPECT_EQ(call(5)[2].elements[0].integer, 1);
    ASSERT_EQ(call(6).size(), 4u);
    EXPECT_EQ(call(6)[1].kind, Kind::reg);
    EXPECT_EQ(call(6)[3].name, "proto");
    ASSERT_EQ(function.prototypes.size(), 1u);
    EXPECT_EQ(function.prototypes[0].returns.size(), 1u);
    EXPECT_EQ(function.prototypes[0].parameters[0].bytes, 8u);
    EXPECT_EQ(function.targets[0].functions, (std::vector<std::string>{"f", "g"}));
    EXPECT_NE(call(1)[2].elements[0].index, call(6)[2].elements[0].index);
}

TEST(PtxCalls, OfFunctionsThatComeLater) {
    const Module module = module_of(
        ".entry k() { .reg .b64 %rd; call late; mov.u64 %rd, late; ld.u32 %rd, [v+4]; }\n.func late() { ret; }\n.global .b32 v[2];");
    EXPECT_EQ(module.functions[0].instructions[0].operands[1].index, 1);
    EXPECT_EQ(module.functions[0].instructions[1].operands[1].scope, Operand::Scope::function);
    EXPECT_EQ(module.functions[0].instructions[2].operands[1].scope, Operand::Scope::module_variable);
}

TEST(PtxPlaces, OfInlineAssemblyAreThatOfItsFirstLine) {
    const Module module = module_of(
        ".entry k() {\n.loc 1 10 0\nret;\n// begin inline asm\n.loc 1 15 9 // a.py:15:9\nret;\n.loc 1 16 9\nret;\n// end inline asm\n"
        "// begin inline asm\n.loc 1 20 9\nret;\n.loc 1 21 9\nret;\n// end inline asm\n.loc 1 16 1\nret; }\n.file 1 \"a.py\"\n");
    std::vector<int> lines;
    for (const Instruction& instruction : module.functions[0].instructions) lines.push_back(instruction.location.line);
    EXPECT_EQ(lines, (std::vector{10, 15, 15, 20, 20, 16}));
}

TEST(PtxPlaces, FollowInlinings) {
    const Module module = module_of(
        ".entry k() {\n.loc 1 10 0\nret;\n.loc 2 5 3, function_name $L__info_string0, inlined_at 1 12 7\nret;\n"
        ".loc 2 9 1, function_name $L__info_string0+4, inlined_at 2 5 3\nret;\n.loc 1 13 1\nret;\n}\n.entry other() { ret; }\n"
        ".file 1 \"/a/b.cu\"\n.file 2 \"c.h\", 1234, 56\n"
        ".section .debug_abbrev { .b8 1, 2\n$L: .b32 $L }\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90,49,0\n.b8 103,0\n}\n");
    const auto& code = module.functions[0].instructions;
    EXPECT_EQ(module.files, (std::vector<std::string>{"", "/a/b.cu", "c.h"}));
    EXPECT_EQ(code[0].location, (Location{1, 10, 0, 0}));
    EXPECT_EQ(code[1].location, (Location{2, 5, 3, 1}));
    EXPECT_EQ(code[2].location, (Location{2, 9, 1, 2}));
    EXPECT_EQ(code[3].location, (Location{1, 13, 1, 0}));
    ASSERT_EQ(module.inlinings.size(), 2u);
    EXPECT_EQ(module.inlinings[0], (Inlining{"_Z1", {1, 12, 7, 0}}));
    EXPECT_EQ(module.inlinings[1], (Inlining{"g", {2, 5, 3, 1}}));
    EXPECT_EQ(module.functions[1].instructions[0].location, Location{});
}

TEST(PtxErrors, NameLineFunctionAndWord) {
    EXPECT_EQ(error_of_body("mov.b32 %r1, %r7;"), "PTX line 6, function 'k': the register '%r7' is not declared");
    EXPECT_EQ(error_of_body("mov.b32 %r1, nothing;"), "PTX line 6, function 'k': 'nothing' is not declared");
    EXPECT_EQ(error_of_body("\nbra nowhere;"), "PTX line 7, function 'k': 'nowhere' is not declared");
    EXPECT_NE(error_of_body("@%r1 bra nowhere;").find("'%r1'"), std::string::npos);
    EXPECT_NE(error_of_body("t: .branchtargets nowhere;").find("'nowhere'"), std::string::npos);
    EXPECT_NE(error_of_body(".reg .b32 %r<2>;\n.reg .b32 %r1;").find("declared twice"), std::string::npos);
    EXPECT_NE(error_of_body(".frobnicate;").find(".frobnicate"), std::string::npos);
    EXPECT_NE(error_of_body("mov.b32 %r1, 1/0;").find("divides by 0"), std::string::npos);
    EXPECT_NE(error_of_body("mov.b32 %r1, [%r1.x];").find("no vector"), std::string::npos);
}

}  // namespace
}  // namespace simt::ptx
