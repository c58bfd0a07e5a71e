// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The listener that counts.
#pragma once

#include <array>
#include <unordered_map>

#include "simt/events.hpp"
#include "simt/machine.hpp"

namespace simt::detail {

/// Adds up the cost of every warp-level access of a launch, per access site.
class Counters : public Listener {
public:
    explicit Counters(const Machine& machine) : machine_(machine) {}

    void launch_begins(const LaunchInfo& info) override;
    void warp_access(const WarpAccess& access) override;
    void block_barrier() override { ++counts_.barriers; }
    void warp_barrier(int, std::uint32_t) override { ++counts_.warp_barriers; }

    /// The counts of the launch that has ended, per source line and in total.
    LaunchCounts take();

private:
    struct Site {
        SharedCounts shared;
        GlobalCounts global;
        ExampleAccess example;
        int example_lanes = 0;
    };

    /// A site that was looked up lately, found again without hashing.
    struct Recent {
        std::uint64_t key = 0;
        Site* site = nullptr;
    };

    Site& site_of(std::uint64_t key);
    SharedCounts& shared_of(Operation operation);
    GlobalCounts& global_of(Operation operation);
    void keep_example(Site& site, const WarpAccess& access);

    const Machine& machine_;
    LaunchCounts counts_;
    std::unordered_map<std::uint64_t, Site> sites_;
    std::array<Recent, 256> recent_{};
};

}  // namespace simt::detail
