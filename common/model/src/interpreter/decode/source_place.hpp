// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The source place of an instruction, as a person looks for it.
#pragma once

#include <string_view>

#include "ptx/module.hpp"
#include "simt/hazard.hpp"

namespace simt::interpreter {

/// True for a header of the toolkit that says in C++ what device code takes for part of the language: atomic operations,
/// shuffles, vectors, cooperative groups. `path` is that of `.file`.
bool is_part_of_language(std::string_view path);

/// Where the code stands and what it was inlined into. What stands in a part of the language stands where that is used.
SourcePlace source_place(const ptx::Module& text, const ptx::Location& location);

}  // namespace simt::interpreter
