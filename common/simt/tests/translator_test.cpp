// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "translator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lexer.hpp"

namespace simt::translate {
namespace {

/// The translation of `source` without the two lines put before it.
std::string translated(const std::string& source)
{
    const std::string text = translate(source, "file.cu");
    return text.substr(text.find('\n', text.find("#line")) + 1);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Lexer, TokensPutTogetherAreTheSource)
{
    const std::string source =
        "#define A(x) \\\n  x\nint a = 1'000; /* <<< */ auto s = R\"q(<<<)\" not )q\"; char c = '\\''; // >>>\nfloat f = 1.5e-3f; k<<<1, 2>>>();";
    std::string joined;
    for (const Token& token : tokenize(source)) joined += token.text;
    EXPECT_EQ(joined, source);
}

TEST(Lexer, ChevronsInStringsAndCommentsAreNotLaunches)
{
    const std::string source = "auto a = \"k<<<1,2>>>()\"; // k<<<1,2>>>()\n/* k<<<1,2>>>() */ auto b = R\"(k<<<1>>>())\";\n#define L k<<<1,2>>>()\n";
    EXPECT_EQ(translated(source), source);
}

TEST(Translator, ALaunchBecomesACall)
{
    EXPECT_EQ(translated("k<<<grid, block>>>(a, b);"),
              "::simt::Launch(\"k\", [&](auto&&... simt_arguments) { k(simt_arguments...); }, grid, block)(a, b);");
}

TEST(Translator, TheKernelOfALaunchMayBeQualifiedAndATemplate)
{
    EXPECT_TRUE(contains(translated("n::m::k<float, (3 > 2)><<<g, b>>>(a);"),
                         "Launch(\"n::m::k<float, (3 > 2)>\", [&](auto&&... simt_arguments) { n::m::k<float, (3 > 2)>(simt_arguments...); }, g, b)(a);"));
    EXPECT_TRUE(contains(translated("return ::k<A<B<int>>><<<1, 1>>>();"), "return ::simt::Launch(\"::k<A<B<int>>>\""));
    EXPECT_TRUE(contains(translated("(flag ? a : b)<<<1, 1>>>();"), "{ (flag ? a : b)(simt_arguments...); }"));
}

TEST(Translator, AKernelStatementMayFollowAnyOtherStatement)
{
    EXPECT_TRUE(contains(translated("if (x) k<<<1, 2>>>(a); else m<<<1, 2>>>(a);"), "if (x) ::simt::Launch(\"k\""));
    EXPECT_TRUE(contains(translated("if (x) k<<<1, 2>>>(a); else m<<<1, 2>>>(a);"), "else ::simt::Launch(\"m\""));
}

TEST(Translator, LaunchArgumentsMayHoldTemplatesAndCommas)
{
    EXPECT_TRUE(contains(translated("k<<<dim3(1, 2), f<int>(3), n * sizeof(A<B<int>>)>>>(a);"),
                         ", dim3(1, 2), f<int>(3), n * sizeof(A<B<int>>))(a);"));
}

TEST(Translator, LinesStayWhereTheyAre)
{
    const std::string source = "k<float>\n<<<grid,\n  block>>>\n(a,\n b);\n__shared__\nfloat t\n[3]\n;\nint x;\n";
    const std::string text = translated(source);
    EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(source, '\n'));
    EXPECT_EQ(std::ranges::count(text.substr(0, text.find("int x")), '\n'), 9);
}

TEST(Translator, StaticSharedVariablesBecomeReferences)
{
    EXPECT_EQ(translated("__shared__ float tile[32][33];"), "auto& tile = ::simt::shared_variable<float[32][33], struct simt_shared_0>();");
    EXPECT_EQ(translated("__shared__ unsigned int a, *b[2];"),
              "auto& a = ::simt::shared_variable<unsigned int, struct simt_shared_0>(); "
              "auto& b = ::simt::shared_variable<unsigned int*[2], struct simt_shared_1>();");
    EXPECT_EQ(translated("static __shared__ std::pair<int, float> p;"),
              "auto& p = ::simt::shared_variable<std::pair<int,float>, struct simt_shared_0>();");
    EXPECT_EQ(translated("__shared__ __align__(16) char raw[64];"), "auto& raw = ::simt::shared_variable<char[64], struct simt_shared_0, (16)>();");
}

TEST(Translator, DynamicSharedArraysBecomeReferences)
{
    EXPECT_EQ(translated("extern __shared__ float tile[];"), "auto& tile = ::simt::dynamic_shared_array<float>();");
    EXPECT_EQ(translated("extern __shared__ int2 pairs[][4];"), "auto& pairs = ::simt::dynamic_shared_array<int2[4]>();");
}

TEST(Translator, KernelsAreMarkedAndTheirDeclarationsAreNot)
{
    EXPECT_EQ(translated("__global__ void k(int);\n__global__ void __launch_bounds__(64) k(int a) { f(); }"),
              "__global__ void k(int);\n__global__ void __launch_bounds__(64) k(int a) { ::simt::kernel_entry(__func__); f(); }");
}

void expect_error(const std::string& source, const std::string& part)
{
    try {
        translate(source, "file.cu");
        ADD_FAILURE() << "translated: " << source;
    } catch (const TranslationError& error) {
        EXPECT_TRUE(contains(error.what(), part)) << error.what();
    }
}

TEST(Translator, WhatItCannotReadIsNamedWithItsLine)
{
    expect_error("int a;\n__shared__ float t[4] = {1};", "file.cu:2:");
    expect_error("extern __shared__ float t;", "unknown extent");
    expect_error("k<<<1, 2;", "never closed");
    expect_error("k<<<1, 2>>>;", "no argument list");
    expect_error("; <<<1, 2>>>(a);", "nothing that could be a kernel");
    expect_error("__shared__ float t[4", "never closed");
}

}  // namespace
}  // namespace simt::translate
