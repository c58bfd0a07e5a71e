// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Warp-level accesses made by hand, for tests of the rules.
#pragma once

#include "simt/rules.hpp"

namespace simt {

inline constexpr std::uint32_t all_lanes = ~0u;

/// An access in which `address(lane)` is the address of each lane.
template <class Address>
WarpAccess made_access(Space space, Operation operation, int size, Address&& address, std::uint32_t active = all_lanes)
{
    WarpAccess access{};
    access.space = space;
    access.operation = operation;
    access.size = size;
    access.active = active;
    for (unsigned lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
    return access;
}

}  // namespace simt
