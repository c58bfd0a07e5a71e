// Properties of the lanes of an access that the rules use.
#pragma once

#include <algorithm>

#include "rules/lane_sets.hpp"
#include "simt/events.hpp"

namespace simt::rules {

/// The number of lanes of an access of `size` bytes that are served together, if `lanes` lanes of at most 4 bytes are.
inline int lanes_for_size(int lanes, int size) { return std::max(1, size <= 4 ? lanes : lanes * 4 / size); }

/// True if every active lane's address is a multiple of the size of the access.
inline bool is_aligned(const WarpAccess& access) {
    std::uint64_t bits = 0;
    if (access.evenly_spaced && access.active == UINT32_MAX) bits = access.address[0] | access.step;
    else for_lanes(access.active, [&](std::size_t lane) { bits |= access.address[lane]; });
    return (bits & (static_cast<std::uint64_t>(access.size) - 1)) == 0;
}

/// True if the addresses of all lanes, active or not, are evenly spaced, `step` bytes from lane to lane.
inline bool has_even_addresses(const WarpAccess& access, std::uint64_t& step) {
    if (access.evenly_spaced) {
        step = access.step;
        return true;
    }
    step = access.address[1] - access.address[0];
    std::uint64_t differences = 0;
    for (std::uint64_t lane = 0; lane < warp_size; ++lane) differences |= access.address[lane] ^ (access.address[0] + lane * step);
    return differences == 0;
}

/// The same, and all lanes are active.
inline bool is_evenly_spaced(const WarpAccess& access, std::uint64_t& step) {
    return access.active == UINT32_MAX && has_even_addresses(access, step);
}

}  // namespace simt::rules
