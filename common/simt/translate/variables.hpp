// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Variables with a memory space: `__shared__`, `__device__`, `__managed__` and `__constant__`.
#pragma once

#include <string>
#include <vector>

#include "declarations.hpp"
#include "source.hpp"

namespace simt::translate {

/// A shared variable that is declared outside all functions, for all those below.
struct NamespaceShared {
    std::string name;
    /// The declaration that makes it known in the body of a function.
    std::string declaration;
};

/// Rewrites the `__shared__` declaration that the word at `shared` belongs to. `count` numbers all those of a
/// translation. Returns what the functions below have to declare: nothing for a declaration in a function.
/// @throws TranslationError if the declaration cannot be read.
std::vector<NamespaceShared> rewrite_shared(const Source& source, Edits& edits, const Declaration& declaration, Index shared, int& count);

/// Makes the variables of a `__device__`, `__managed__` or `__constant__` declaration known to the model.
/// @throws TranslationError for a template.
void register_device_variables(const Source& source, Edits& edits, const Declaration& declaration);

}  // namespace simt::translate
