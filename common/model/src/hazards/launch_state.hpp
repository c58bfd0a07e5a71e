// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the watchers of the blocks of a launch share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hazards/counters.hpp"
#include "hazards/global_watch.hpp"
#include "hazards/reports.hpp"
#include "hazards/touched_sectors.hpp"
#include "interpreter/watch.hpp"

namespace simt::hazards {

struct LaunchWatch::State {
    State(const LaunchInfo& launch_info, std::string kernel_name, Surroundings given, std::vector<Listener*> hearers);

    /// Counters for a block that begins, and back when it has ended: so there are no more than blocks that run at a time. The block's
    /// work is added to the launch's.
    Counters* lend_counters();
    void take_back(Counters* counters);
    LaunchWork work() const;

    LaunchInfo info;
    std::string kernel;
    Surroundings surroundings;
    std::vector<Listener*> listeners;
    /// The block that the listeners know to run. Where there are listeners, blocks run in one host thread.
    std::uint64_t running_block = UINT64_MAX;
    Reports reports;
    GlobalLaunch global;
    TouchedSectors touched;
    /// Some warps of a block may be ordered and others not; set as soon as one block has done so.
    std::atomic<bool> orders_parts;
    /// Blocks that are watched, and whether there are others. What those do to global memory is not known, and neither is then
    /// what orders two blocks that are.
    std::atomic<std::uint64_t> watched_blocks{0};
    std::atomic<bool> is_partial{false};

private:
    friend class LaunchWatch;
    mutable std::mutex mutex_;
    /// Of the blocks that have ended.
    std::optional<LaunchWork> work_;
    std::vector<std::unique_ptr<Counters>> counters_;
    std::vector<Counters*> idle_;
};

}  // namespace simt::hazards
