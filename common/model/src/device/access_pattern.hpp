// The pattern of an access. It tells the accesses of one source line apart, since debug information has lines and no columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "simt/counts.hpp"

namespace simt {

/// Bytes from the first active lane to each lane, and the least number for those that are not active.
using AccessPattern = std::array<std::int64_t, warp_size>;

constexpr std::int64_t not_active = std::numeric_limits<std::int64_t>::min();

inline AccessPattern pattern_of(const ExampleAccess& access) {
    AccessPattern pattern{};
    std::int64_t first = -1;
    for (std::size_t lane = 0; lane < pattern.size(); ++lane) {
        const auto& offset = access.lanes[lane];
        if (offset && first < 0) first = static_cast<std::int64_t>(*offset);
        pattern[lane] = offset ? static_cast<std::int64_t>(*offset) - first : not_active;
    }
    return pattern;
}

}  // namespace simt
