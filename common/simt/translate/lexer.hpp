// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The tokens of a CUDA source file, as far as the translator needs to tell them apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::translate {

/// Kinds of token. Space stands for white space, continued lines and comments; directive for a whole preprocessor line
/// with the lines that continue it.
enum class TokenKind { space, directive, identifier, number, string, character, punctuation };

/// A piece of the source. The tokens' texts, put together, are the source again.
struct Token {
    TokenKind kind;
    std::string_view text;
    /// Line of the first character, counted from 1.
    int line;

    bool is(std::string_view wanted) const { return text == wanted; }
};

/// Splits C++ source, whose first line is line `first_line`, into tokens. `<<<`, `>>>`, `::`, `->` and `##` are tokens of
/// their own; all other punctuation is one character each. Of a longer run of `>`, the last three are the `>>>`.
/// An unclosed string or comment ends at the end of the source. With `has_directives` false, `#` begins no directive: in
/// the body of a macro it is an operator.
std::vector<Token> tokenize(std::string_view source, int first_line = 1, bool has_directives = true);

/// The parts of a preprocessor line.
struct Directive {
    /// Such as "include" or "define"; empty for a lone `#`.
    std::string_view name;
    /// What follows the name, without the white space before it.
    std::string_view rest;
};

/// Takes a token of kind directive apart.
Directive parse_directive(std::string_view text);

}  // namespace simt::translate
