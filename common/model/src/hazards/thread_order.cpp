#include "hazards/thread_order.hpp"

#include <algorithm>

#include "rules/lanes.hpp"

namespace simt::hazards {

namespace {

template <std::size_t n> void join(std::array<std::uint32_t, n>& into, const std::array<std::uint32_t, n>& other) {
    for (std::size_t i = 0; i < n; ++i) into[i] = std::max(into[i], other[i]);
}

}  // namespace

void ThreadOrder::begin_block(int threads) {
    threads_ = threads;
    objects_.clear();
    constexpr std::uint32_t late = 1u << 31;
    if (std::ranges::max(time_) < late) return;
    time_ = {};
    known_ = {};
    for (auto& clocks : lanes_) clocks.reset();
}

std::uint32_t ThreadOrder::lanes_of(int warp) const { return lane_group(0, std::clamp(threads_ - warp * warp_size, 1, warp_size)); }

void ThreadOrder::synchronize_lanes(int number, std::uint32_t lanes) {
    const auto warp = static_cast<std::size_t>(number);
    const std::uint32_t time = ++time_[warp];
    const std::uint32_t all = lanes_of(number);
    if ((lanes & all) == all) {
        known_[warp][warp] = time;
        return;
    }
    if (!lanes_[warp]) lanes_[warp] = std::make_unique<LaneClocks>();
    LaneClocks& clocks = *lanes_[warp];
    std::array<std::uint32_t, warp_size> joined{};
    for (const std::size_t lane : lanes_in(lanes)) join(joined, clocks[lane]);
    for (const std::size_t lane : lanes_in(lanes)) joined[lane] = time;
    for (const std::size_t lane : lanes_in(lanes)) clocks[lane] = joined;
}

void ThreadOrder::synchronize_warps(std::span<const int> warps) {
    Clock joined{};
    for (const int number : warps) {
        const auto warp = static_cast<std::size_t>(number);
        join(joined, known_[warp]);
        joined[warp] = ++time_[warp];
    }
    for (const int number : warps) known_[static_cast<std::size_t>(number)] = joined;
}

void ThreadOrder::release(int number, std::uint64_t object) {
    const auto warp = static_cast<std::size_t>(number);
    Clock& clock = objects_[object];
    join(clock, known_[warp]);
    clock[warp] = ++time_[warp];
}

void ThreadOrder::acquire(int number, std::uint64_t object) {
    if (const auto found = objects_.find(object); found != objects_.end()) join(known_[static_cast<std::size_t>(number)], found->second);
}

}  // namespace simt::hazards
