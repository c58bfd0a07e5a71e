// The state that the watchers of a launch's blocks share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hazards/counters.hpp"
#include "hazards/global_watch.hpp"
#include "hazards/reports.hpp"
#include "hazards/touched_sectors.hpp"
#include "interpreter/watch.hpp"

namespace simt::hazards {

struct LaunchWatch::State {
    State(const LaunchInfo& launch_info, std::string kernel_name, Surroundings given, std::vector<Listener*> hearers);

    /// Takes counters for a block that begins, and returns them when it has ended. So there are only as many as blocks run at a time.
    /// Returning them adds the work of the block to that of the launch.
    Counters* lend_counters();
    void take_back(Counters* counters);
    LaunchWork work() const;

    LaunchInfo info;
    std::string kernel;
    Surroundings surroundings;
    std::vector<Listener*> listeners;
    /// The running block that the listeners know. With listeners, all blocks run in one host thread.
    std::uint64_t running_block = UINT64_MAX;
    Reports reports;
    GlobalLaunch global;
    TouchedSectors touched;
    /// Set once a block has ordered some of its warps and not others.
    std::atomic<bool> orders_parts;
    /// The number of watched blocks, and whether there are others. The accesses of unwatched blocks to global memory are unknown, and
    /// with them the order between two watched blocks.
    std::atomic<std::uint64_t> watched_blocks{0};
    std::atomic<bool> is_partial{false};

private:
    friend class LaunchWatch;
    mutable std::mutex mutex_;
    /// The sums over the blocks that have ended.
    std::optional<LaunchWork> work_;
    std::vector<std::unique_ptr<Counters>> counters_;
    std::vector<Counters*> idle_;
};

}  // namespace simt::hazards
