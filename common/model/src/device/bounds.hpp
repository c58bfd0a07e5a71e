// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Whether one range of bytes lies in another. The numbers come from a program, so no sum may wrap around.
#pragma once

#include <cstdint>

namespace simt {

/// Whether `bytes` bytes that begin at `at` lie in a memory of `size` bytes.
constexpr bool has_room(std::uint64_t size, std::uint64_t at, std::uint64_t bytes) { return bytes <= size && at <= size - bytes; }

}  // namespace simt
