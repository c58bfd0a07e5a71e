// The order between accesses of a block's threads that comes from synchronization of less than the whole block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "simt/counts.hpp"

namespace simt::hazards {

/// Most warps of a block.
inline constexpr int most_warps = 32;

/// Vector clocks: each warp has one for the other warps. Each lane has one for the other lanes of its warp, once some lanes of the
/// warp have synchronized without the others.
///
/// Each synchronization that a warp takes part in advances its time. An access is stamped with its warp's time. Times increase from
/// block to block, and earlier blocks are never asked about.
class ThreadOrder {
public:
    void begin_block(int threads);
    /// The stamp of an access of the warp made now.
    std::uint32_t now(int warp) const { return time_[static_cast<std::size_t>(warp)]; }

    void synchronize_lanes(int warp, std::uint32_t lanes);
    void synchronize_warps(std::span<const int> warps);
    void release(int warp, std::uint64_t object);
    void acquire(int warp, std::uint64_t object);

    /// True if the access of lane `earlier_lane` of `earlier_warp` at `stamp` is ordered before an access of a lane of `later_warp` now.
    bool ordered(int earlier_warp, int earlier_lane, std::uint32_t stamp, int later_warp, int later_lane) const {
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
    /// known_[a][b]: the accesses of all lanes of warp b up to this time are ordered before those of all lanes of warp a.
    std::array<Clock, most_warps> known_{};
    /// By warp: the same for lanes a and b. Null until some lanes of the warp synchronize.
    std::array<std::unique_ptr<LaneClocks>, most_warps> lanes_;
    std::unordered_map<std::uint64_t, Clock> objects_;
};

}  // namespace simt::hazards
