// Sets of lanes of a warp, as bit masks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "simt/warp_size.hpp"

namespace simt {

/// The lanes `first` to `first + count - 1`; `count` is 1 to 32.
inline std::uint32_t lane_group(int first, int count) { return ~0u >> (warp_size - count) << first; }

/// The lowest lane of a set, which has one.
inline std::size_t first_lane(std::uint32_t lanes) { return static_cast<std::size_t>(std::countr_zero(lanes)); }

/// The lanes of a set, lowest first.
struct LaneRange {
    struct Iterator {
        std::uint32_t rest;
        std::size_t operator*() const { return first_lane(rest); }
        void operator++() { rest &= rest - 1; }
        bool operator==(std::default_sentinel_t) const { return rest == 0; }
    };

    std::uint32_t lanes;
    Iterator begin() const { return {lanes}; }
    static std::default_sentinel_t end() { return {}; }
};

/// For loops: `for (const std::size_t lane : lanes_in(mask))`. A change of `mask` in the loop does not change the loop.
inline LaneRange lanes_in(std::uint32_t lanes) { return {lanes}; }

/// Calls `visit` with each lane of a set that mostly holds all lanes: the compiler makes vector instructions of the case of all lanes.
template <class Visit> [[gnu::always_inline]] inline void for_lanes(std::uint32_t lanes, Visit&& visit) {
    if (lanes == UINT32_MAX)
        for (std::size_t lane = 0; lane < warp_size; ++lane) visit(lane);
    else
        for (const std::size_t lane : lanes_in(lanes)) visit(lane);
}

}  // namespace simt
