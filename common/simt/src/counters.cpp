// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "counters.hpp"

#include <bit>
#include <map>
#include <tuple>

#include "simt/rules.hpp"
#include "simt/model.hpp"

namespace simt::detail {

namespace {

std::uint64_t key_of(const WarpAccess& access)
{
    return std::uint64_t{access.site} << 8 | static_cast<std::uint64_t>(access.space) << 4 |
           static_cast<std::uint64_t>(access.operation);
}

}  // namespace

void Counters::launch_begins(const LaunchInfo& info)
{
    counts_ = {};
    counts_.grid = info.grid;
    counts_.blocks = std::uint64_t{info.grid.x} * info.grid.y * info.grid.z;
    counts_.block = info.block;
    sites_.clear();
    recent_.fill({});
}

void Counters::warp_access(const WarpAccess& access)
{
    Site& site = site_of(key_of(access));
    if (access.space == Space::shared) {
        const SharedCost cost = shared_cost(access, machine_);
        site.shared.instructions += 1;
        site.shared.wavefronts += static_cast<std::uint64_t>(cost.wavefronts);
        site.shared.ideal_wavefronts += static_cast<std::uint64_t>(cost.ideal_wavefronts);
    } else {
        const GlobalCost cost = global_cost(access, machine_);
        site.global.requests += 1;
        site.global.sectors += static_cast<std::uint64_t>(cost.sectors);
        site.global.ideal_sectors += static_cast<std::uint64_t>(cost.ideal_sectors);
        site.global.bytes += static_cast<std::uint64_t>(access.active_lanes()) * static_cast<std::uint64_t>(access.size);
    }
    if (access.active_lanes() > site.example_lanes) keep_example(site, access);
}

Counters::Site& Counters::site_of(std::uint64_t key)
{
    Recent& recent = recent_[(key ^ key >> 10) % recent_.size()];
    if (recent.key != key || !recent.site) recent = {key, &sites_[key]};
    return *recent.site;
}

void Counters::keep_example(Site& site, const WarpAccess& access)
{
    site.example_lanes = access.active_lanes();
    site.example = {};
    site.example.size = access.size;
    for (std::uint32_t rest = access.active; rest; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        site.example.lanes[lane] = access.address[lane] - access.allocation;
    }
}

SharedCounts& Counters::shared_of(Operation operation)
{
    switch (operation) {
        case Operation::load: return counts_.shared_load;
        case Operation::store: return counts_.shared_store;
        default: return counts_.shared_atomic;
    }
}

GlobalCounts& Counters::global_of(Operation operation)
{
    switch (operation) {
        case Operation::load: return counts_.global_load;
        case Operation::store: return counts_.global_store;
        default: return counts_.global_atomic;
    }
}

LaunchCounts Counters::take()
{
    std::map<std::tuple<std::string, int, Space, Operation>, std::pair<LineCounts, int>> lines;
    for (const auto& [key, site] : sites_) {
        const SourcePlace source = source_place(static_cast<std::uint32_t>(key >> 8));
        const auto space = static_cast<Space>(key >> 4 & 0xF);
        const auto operation = static_cast<Operation>(key & 0xF);
        auto& [line, lanes] = lines[{source.file, source.line, space, operation}];
        line.file = source.file;
        line.line = source.line;
        line.space = space;
        line.operation = operation;
        line.shared += site.shared;
        line.global += site.global;
        if (site.example_lanes > lanes) {
            lanes = site.example_lanes;
            line.first_access = site.example;
        }
        shared_of(operation) += site.shared;
        global_of(operation) += site.global;
    }
    for (auto& entry : lines) counts_.lines.push_back(std::move(entry.second.first));
    return std::move(counts_);
}

}  // namespace simt::detail
