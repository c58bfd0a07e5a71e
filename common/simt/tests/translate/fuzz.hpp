// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What must hold of the translator for any text whatever.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lexer.hpp"
#include "translator.hpp"

namespace simt::translate {

/// What does not hold for `source`; nothing if all is well. A crash, a hang and an exception of another kind than
/// TranslationError are for the caller to notice.
inline std::optional<std::string> broken_promise(std::string_view source)
{
    std::string joined;
    int line = 1;
    for (const Token& token : tokenize(source)) {
        if (token.text.empty()) return "a token is empty";
        if (token.line != line) return "a token's line is wrong";
        line += static_cast<int>(std::ranges::count(token.text, '\n'));
        joined += token.text;
    }
    if (joined != source) return "the tokens put together are not the source";
    try {
        constexpr int lines_before = 2;
        const std::string text = translate(source, "fuzz.cu");
        if (std::ranges::count(text, '\n') != lines_before + std::ranges::count(source, '\n')) return "the number of lines has changed";
    } catch (const TranslationError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz.cu:")) return std::string("an error names no line: ") + error.what();
    }
    return std::nullopt;
}

}  // namespace simt::translate
