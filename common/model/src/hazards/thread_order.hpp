// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Which accesses of a block's threads are ordered by what is less than a barrier of the whole block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "simt/counts.hpp"

namespace simt::hazards {

/// Most warps of a block.
inline constexpr int most_warps = 32;

/// Who knows of whose accesses: between warps, a vector clock each; between the lanes of a warp, one each where some of
/// its lanes have synchronized without the others.
///
/// A warp's time goes on with each synchronization that it takes part in. An access is stamped with its warp's time.
/// Times go on from block to block, and what is known of earlier ones is never asked for.
class ThreadOrder {
public:
    void begin_block(int threads);
    /// The stamp of an access of the warp made now.
    std::uint32_t now(int warp) const { return time_[static_cast<std::size_t>(warp)]; }

    void synchronize_lanes(int warp, std::uint32_t lanes);
    void synchronize_warps(std::span<const int> warps);
    void release(int warp, std::uint64_t object);
    void acquire(int warp, std::uint64_t object);

    /// True if what the lane `earlier_lane` of `earlier_warp` did at `stamp` is ordered before what a lane of `later_warp`
    /// does now.
    bool ordered(int earlier_warp, int earlier_lane, std::uint32_t stamp, int later_warp, int later_lane) const
    {
        const auto from = static_cast<std::size_t>(earlier_warp), to = static_cast<std::size_t>(later_warp);
        if (known_[to][from] > stamp) return true;
        if (from != to || !lanes_[to]) return false;
        return (*lanes_[to])[static_cast<std::size_t>(later_lane)][static_cast<std::size_t>(earlier_lane)] > stamp;
    }

private:
    using Clock = std::array<std::uint32_t, most_warps>;
    using LaneClocks = std::array<std::array<std::uint32_t, warp_size>, warp_size>;

    std::uint32_t lanes_of(int warp) const;

    int threads_ = 0;
    Clock time_{};
    /// known_[a][b]: time of warp b up to which all lanes of warp a know what all lanes of b did.
    std::array<Clock, most_warps> known_{};
    /// By warp: [a][b] is the same of lane a and lane b. Null until some lanes of the warp synchronize.
    std::array<std::unique_ptr<LaneClocks>, most_warps> lanes_;
    std::unordered_map<std::uint64_t, Clock> objects_;
};

}  // namespace simt::hazards
