// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The tokens of a CUDA source file, as far as the translator needs to tell them apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::translate {

/// Kinds of token. Space stands for white space and comments; directive for a whole preprocessor line.
enum class TokenKind { space, directive, identifier, number, string, character, punctuation };

/// A piece of the source. The tokens' texts, put together, are the source again.
struct Token {
    TokenKind kind;
    std::string_view text;
    /// Line of the first character, counted from 1.
    int line;

    bool is(std::string_view wanted) const { return text == wanted; }
};

/// Splits C++ source into tokens. `<<<` and `>>>` are tokens of their own; all other punctuation is one character each.
/// An unclosed string or comment ends at the end of the source.
std::vector<Token> tokenize(std::string_view source);

}  // namespace simt::translate
