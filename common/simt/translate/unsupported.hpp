// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The parts of CUDA that the counting model does not know.
#pragma once

#include <optional>
#include <string>

#include "source.hpp"

namespace simt::translate {

/// Says that a construct is unsupported, and what to do instead.
std::string not_supported(const std::string& construct, const std::string& hint);

/// What to say about a header, given by its name without brackets or quotes; nothing if it may be included.
std::optional<std::string> unsupported_header(std::string_view header);

/// Where code runs. `both`: in a function that is `__host__ __device__`.
enum class CodeSide { host, device, both };

/// What to say about the name at `i`, which stands in code of `side`; nothing if it may be used.
std::optional<std::string> unsupported_name(const Source& source, Index i, CodeSide side);

/// True if the `asm` at `i` holds instructions. An empty one is only a barrier for the compiler.
bool is_inline_assembly(const Source& source, Index i);

/// What to say about inline assembly in device code.
std::string inline_assembly_is_not_supported();

}  // namespace simt::translate
