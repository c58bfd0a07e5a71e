// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the translator's tests share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "translator.hpp"

namespace simt::translate {

/// The translation of `source` without the two lines put before it.
inline std::string translated(const std::string& source)
{
    const std::string text = translate(source, "file.cu");
    return text.substr(text.find('\n', text.find("#line")) + 1);
}

/// The translation of statements in a kernel.
inline std::string translated_body(const std::string& statements)
{
    const std::string head = "__global__ void kernel() {", entry = " ::simt::kernel_entry(__func__);";
    const std::string text = translated(head + statements + "}");
    EXPECT_TRUE(text.starts_with(head + entry)) << text;
    return text.substr(head.size() + entry.size(), text.size() - head.size() - entry.size() - 1);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What the translator says about a source that it cannot translate; empty, and a failure, if it can.
inline std::string error_of(const std::string& source)
{
    try {
        ADD_FAILURE() << "translated to: " << translated(source);
    } catch (const TranslationError& error) {
        return error.what();
    }
    return "";
}

}  // namespace simt::translate
