// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Initial values of variables.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/lexer.hpp"
#include "ptx/module.hpp"

namespace simt::ptx {

/// Reads what stands behind `=` into `variable.initial` and `variable.relocations`.
/// @param dimensions of the array, a vector's elements as the last; 0 where the text leaves the first open.
/// @return bytes that the values reach over
/// @throws ParseError
std::uint64_t parse_initializer(Lexer& lexer, Variable& variable, const std::vector<std::uint64_t>& dimensions);

}  // namespace simt::ptx
