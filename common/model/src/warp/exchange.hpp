// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Lanes of a warp that wait for one another.
#pragma once

#include "warp/warp.hpp"

namespace simt::warp {

/// Lets lanes go on that have all come to one warp-level operation. Returns whether there were any.
bool release_warp_barriers(Warp& warp);

}  // namespace simt::warp
