// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The width of a warp, for headers that need nothing else.
#pragma once

namespace simt {

/// Threads of a warp, on every machine that CUDA has run on.
inline constexpr int warp_size = 32;

}  // namespace simt
