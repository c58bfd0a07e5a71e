// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Sets of lanes of a warp, as bit masks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "simt/warp_size.hpp"

namespace simt::rules {

/// The lanes `first` to `first + count - 1`; `count` is 1 to 32.
inline std::uint32_t lane_group(int first, int count) { return ~0u >> (warp_size - count) << first; }

/// Calls `visit` with each lane of the set, lowest first.
template <class Visit> void for_each_lane(std::uint32_t lanes, Visit&& visit)
{
    for (; lanes; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// The same for sets that mostly hold all lanes: the compiler makes vector instructions of what is done for these.
template <class Visit> [[gnu::always_inline]] inline void for_lanes(std::uint32_t lanes, Visit&& visit)
{
    if (lanes != UINT32_MAX) return for_each_lane(lanes, visit);
    for (std::size_t lane = 0; lane < warp_size; ++lane) visit(lane);
}

}  // namespace simt::rules
