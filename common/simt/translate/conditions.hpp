// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What is known of the conditions of the preprocessor before it has run.
#pragma once

#include <optional>

#include "lexer.hpp"

namespace simt::translate {

/// True for `#if`, `#elif`, `#else` and their kin.
bool opens_branch(const Directive& directive);

/// What the condition of such a line comes to under the model, if that follows from numbers and from `CONFLICT_FREE_SIMT`,
/// which is 1. Nothing if it may depend on another macro.
std::optional<bool> branch_condition(const Directive& directive);

}  // namespace simt::translate
