// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Lanes of a warp that wait for one another.
#pragma once

#include <algorithm>

#include "interpreter/schedule/warp.hpp"

namespace simt::interpreter {

/// Some lanes wait for others of their warp.
inline bool has_warp_barriers(const Warp& warp)
{
    return std::ranges::any_of(warp.stalled, [](const Fragment& fragment) { return fragment.wait == Wait::warp_barrier; });
}

/// Lets lanes go on that have all come to one warp-level operation. Returns whether there were any.
bool release_warp_barriers(Warp& warp);

}  // namespace simt::interpreter
