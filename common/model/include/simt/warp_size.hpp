// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Numbers that are the same on every machine, for headers that need nothing else.
#pragma once

namespace simt {

/// Threads of a warp, on every machine that CUDA has run on.
inline constexpr int warp_size = 32;

/// Bytes of a sector, the unit that global memory moves.
inline constexpr int sector_bytes = 32;

}  // namespace simt
