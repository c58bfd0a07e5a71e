// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Reading C++ declarations as far as it takes to know what they declare.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "source.hpp"

namespace simt::translate {

/// One of the names that a declaration declares.
struct Declarator {
    std::string name;
    /// The declarator without its name, such as `*` or `[32][33]` or `(*)(int)`: what has to follow the type.
    std::string shape;
    bool is_function = false;
    bool is_initialized = false;
    /// For a function: the `)` behind its parameters.
    Index parameters_close = none;
};

/// What a declaration says.
struct Declaration {
    Index begin = none;
    /// The `;` that ends it; for a function with a body and for what cannot be read, the last token that was read.
    Index end = none;
    bool is_template = false;
    /// Number of the template's parameters; 0 for a specialization.
    int template_parameters = 0;
    /// Such as `extern`, `static`, `__shared__`, `__device__`.
    std::set<std::string, std::less<>> specifiers;
    /// The type, without specifiers and attributes.
    std::string type;
    /// Tokens of a class definition inside the type, from its keyword to its brace; none if there is none.
    Index class_begin = none, class_end = none;
    /// Name of that class, and whether it had to be made up for a class without one.
    std::string class_name;
    bool class_is_unnamed = false;
    /// What `__align__` or `alignas` asks for, with parentheses; empty for nothing.
    std::string alignment;
    std::vector<Declarator> declarators;

    bool has(std::string_view specifier) const { return specifiers.contains(specifier); }
};

/// True for words like `static` or `__shared__` that are part of a declaration and not of its type.
bool is_specifier(std::string_view word);

/// First token of the declaration that the specifier at `specifier` belongs to.
Index declaration_begin(const Source& source, Index specifier);

/// Reads the declaration that starts at `begin`. What it cannot read ends it; nothing is thrown.
Declaration parse_declaration(const Source& source, Index begin);

/// The `{` of the body of the function or lambda whose parameters, or last specifier, are at `from`; none if it has no body.
Index body_begin(const Source& source, Index from);

}  // namespace simt::translate
