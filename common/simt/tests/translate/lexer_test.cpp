// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "lexer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace simt::translate {
namespace {

std::string joined(const std::string& source)
{
    std::string text;
    for (const Token& token : tokenize(source)) text += token.text;
    return text;
}

/// The tokens but for white space, each in brackets.
std::string shown(const std::string& source)
{
    std::string text;
    for (const Token& token : tokenize(source))
        if (token.kind != TokenKind::space) text += "[" + std::string(token.text) + "]";
    return text;
}

TEST(Lexer, TokensPutTogetherAreTheSource)
{
    for (const std::string source :
         {"#define A(x) \\\n  x\nint a = 1'000; /* <<< */ auto s = R\"q(<<<)\" not )q\"; char c = '\\''; // >>>\nfloat f = 1.5e-3f;",
          "\"never closed\n'x", "/* never closed", "R\"(never closed", "R\"never opened", "\\", "#", "a\\\r\n b", "'", "\"\\"})
        EXPECT_EQ(joined(source), source);
}

TEST(Lexer, ChevronsAreTokensOfTheirOwn)
{
    EXPECT_EQ(shown("k<<<a, b>>>(c)"), "[k][<<<][a][,][b][>>>][(][c][)]");
    EXPECT_EQ(shown("a << b >> c <<= 1"), "[a][<][<][b][>][>][c][<][<][=][1]");
    EXPECT_EQ(shown("k<<<1, v<3>>>>(c)"), "[k][<<<][1][,][v][<][3][>][>>>][(][c][)]");
    EXPECT_EQ(shown("a::b->c ## d"), "[a][::][b][->][c][##][d]");
}

TEST(Lexer, LiteralsAreOneToken)
{
    EXPECT_EQ(shown("u8\"a<<<b\" L'\\'' R\"x(a)\" <<<)x\" 1'000'000 0x1p-3 .5f"),
              "[u8\"a<<<b\"][L'\\''][R\"x(a)\" <<<)x\"][1'000'000][0x1p-3][.5f]");
    EXPECT_EQ(shown("\"a\\\nb\" c"), "[\"a\\\nb\"][c]");
}

TEST(Lexer, ADirectiveEndsWithItsLineAndThoseThatContinueIt)
{
    EXPECT_EQ(shown("#define A b \\\n c\nd"), "[#define A b \\\n c][d]");
    EXPECT_EQ(shown("#define A b \\\r\n c\nd"), "[#define A b \\\r\n c][d]");
    EXPECT_EQ(shown("#define A /* \n */ b\nd"), "[#define A /* \n */ b][d]");
    EXPECT_EQ(shown("#define A // see /* there\nd"), "[#define A // see /* there][d]");
    EXPECT_EQ(shown("#define A \"/*\" '\"' 1'0\nd"), "[#define A \"/*\" '\"' 1'0][d]");
    EXPECT_EQ(shown("#define A R\"(\n)\" b\nd"), "[#define A R\"(\n)\" b][d]");
    EXPECT_EQ(shown("a # b"), "[a][#][b]");
}

TEST(Lexer, LinesAreCountedFromTheFirst)
{
    const auto tokens = tokenize("a /*\n*/ b\\\nc", 7);
    EXPECT_EQ(tokens.front().line, 7);
    EXPECT_EQ(tokens.back().line, 9);
}

TEST(Lexer, ADirectiveIsTakenApart)
{
    const Directive directive = parse_directive("#  include /* why */ <a.h> // so");
    EXPECT_EQ(directive.name, "include");
    EXPECT_EQ(directive.rest, "<a.h> // so");
    EXPECT_EQ(parse_directive("#").name, "");
    EXPECT_EQ(parse_directive("#endif").rest, "");
}

}  // namespace
}  // namespace simt::translate
