// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Sets of lanes of a warp, as bit masks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simt/counts.hpp"
#include "simt/events.hpp"

namespace simt::detail {

/// The lanes `first` to `first + count - 1`; `count` is 1 to 32.
inline std::uint32_t lane_group(int first, int count) { return ~0u >> (warp_size - count) << first; }

/// Lanes of an access of `size` bytes that are served together where `lanes` lanes of 4 bytes or less are.
inline int lanes_for_size(int lanes, int size) { return std::max(1, size <= 4 ? lanes : lanes * 4 / size); }

/// Calls `visit` with each lane of the set, lowest first.
template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit&& visit)
{
    for (; lanes; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// The same for sets that mostly hold all lanes: the compiler makes vector instructions of what is done for these.
template <class Visit>
[[gnu::always_inline]] inline void for_lanes(std::uint32_t lanes, Visit&& visit)
{
    if (lanes != UINT32_MAX) return for_each_lane(lanes, visit);
    for (std::size_t lane = 0; lane < warp_size; ++lane) visit(lane);
}

/// True if all active lanes of an access have the same address.
inline bool all_lanes_agree(const WarpAccess& access)
{
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(access.active))];
    bool agree = true;
    for_each_lane(access.active, [&](std::size_t lane) { agree &= access.address[lane] == address; });
    return agree;
}

/// True if every active lane's address is a multiple of the size of the access.
inline bool is_aligned(const WarpAccess& access)
{
    std::uint64_t bits = 0;
    if (access.evenly_spaced && access.active == UINT32_MAX) bits = access.address[0] | access.step;
    else for_lanes(access.active, [&](std::size_t lane) { bits |= access.address[lane]; });
    return (bits & (static_cast<std::uint64_t>(access.size) - 1)) == 0;
}

/// True if all lanes are active and their addresses are evenly spaced, `step` bytes from lane to lane.
inline bool is_evenly_spaced(const WarpAccess& access, std::uint64_t& step)
{
    if (access.active != UINT32_MAX) return false;
    if (access.evenly_spaced) {
        step = access.step;
        return true;
    }
    step = access.address[1] - access.address[0];
    std::uint64_t differences = 0;
    for (std::uint64_t lane = 0; lane < warp_size; ++lane) differences |= access.address[lane] ^ (access.address[0] + lane * step);
    return differences == 0;
}

}  // namespace simt::detail
