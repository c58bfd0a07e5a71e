// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What shuffles and votes are made of, for the intrinsics and for cooperative groups alike.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/execution.hpp"
#include "simt_cuda/uncounted.h"

namespace simt::detail {

/// One value of each lane of a warp.
template <class T>
struct LaneValues {
    T value[warp_size];
    /// Lanes that brought one.
    std::uint32_t lanes;
};

/// Brings the values of all lanes of `mask` together, 8 bytes at a time.
template <class T>
SIMT_UNCOUNTED LaneValues<T> exchange(std::uint32_t mask, const T& value, const void* site)
{
    static_assert(std::is_trivially_copyable_v<T>, "lanes exchange values that can be copied as bytes");
    LaneValues<T> gathered;
    for (std::size_t offset = 0; offset < sizeof(T); offset += 8) {
        const std::size_t bytes = sizeof(T) - offset < 8 ? sizeof(T) - offset : 8;
        std::uint64_t piece = 0;
        std::memcpy(&piece, reinterpret_cast<const char*>(&value) + offset, bytes);
        const WarpValues pieces = warp_exchange(mask, piece, site);
        for (int lane = 0; lane < warp_size; ++lane) std::memcpy(reinterpret_cast<char*>(&gathered.value[lane]) + offset, &pieces.value[lane], bytes);
        gathered.lanes = pieces.lanes;
    }
    return gathered;
}

/// The lane that a shuffle reads from. `width` lanes, a power of two, form a group of their own.
enum class Shuffle { index, up, down, exclusive_or };

SIMT_UNCOUNTED_INLINE inline int shuffle_source(Shuffle kind, int lane, int operand, int width)
{
    const int group = lane & ~(width - 1);
    switch (kind) {
        case Shuffle::index: return group + (operand & (width - 1));
        case Shuffle::up: return lane - operand < group ? lane : lane - operand;
        case Shuffle::down: return lane + operand >= group + width ? lane : lane + operand;
        // Lanes of earlier groups can be read, those of later groups cannot.
        case Shuffle::exclusive_or: return (lane ^ operand) >= group + width ? lane : lane ^ operand;
    }
    return lane;
}

/// A shuffle. A source lane that takes no part is a hazard; the lane then keeps its own value.
template <class T>
SIMT_UNCOUNTED T shuffle(Shuffle kind, std::uint32_t mask, const T& value, int operand, int width, const void* site)
{
    const LaneValues<T> gathered = exchange(mask, value, site);
    const int source = shuffle_source(kind, lane_index(), operand, width);
    if (source >= 0 && source < warp_size && (gathered.lanes >> source & 1u)) return gathered.value[source];
    report_inactive_lane(source, site);
    return value;
}

/// The lanes of `mask` with a true predicate.
SIMT_UNCOUNTED inline std::uint32_t ballot(std::uint32_t mask, bool predicate, const void* site)
{
    const LaneValues<bool> votes = exchange(mask, predicate, site);
    std::uint32_t lanes = 0;
    for (int lane = 0; lane < warp_size; ++lane)
        if ((votes.lanes >> lane & 1u) && votes.value[lane]) lanes |= 1u << lane;
    return lanes;
}

/// Lanes whose values are, bit by bit, that of this lane, among those that took part.
struct Match {
    std::uint32_t equal, lanes;
};

template <class T>
SIMT_UNCOUNTED Match match(std::uint32_t mask, const T& value, const void* site)
{
    const LaneValues<T> gathered = exchange(mask, value, site);
    Match found{0, gathered.lanes & mask};
    for (int lane = 0; lane < warp_size; ++lane)
        if ((found.lanes >> lane & 1u) && std::memcmp(&gathered.value[lane], &value, sizeof(T)) == 0) found.equal |= 1u << lane;
    return found;
}

/// `operation` over the values of the lanes of `mask`: neighbors first, then pairs, then fours, as on the device. All
/// lanes get the same result.
template <class T, class Operation>
SIMT_UNCOUNTED T reduce(std::uint32_t mask, const T& value, Operation operation, const void* site)
{
    const LaneValues<T> gathered = exchange(mask, value, site);
    T values[warp_size];
    int count = 0;
    for (int lane = 0; lane < warp_size; ++lane)
        if (gathered.lanes & mask & 1u << lane) values[count++] = gathered.value[lane];
    for (int distance = std::bit_ceil(static_cast<unsigned>(count)) / 2; distance > 0; distance /= 2)
        for (int i = 0; i < distance && i + distance < count; ++i) values[i] = operation(values[i], values[i + distance]);
    return values[0];
}

}  // namespace simt::detail
