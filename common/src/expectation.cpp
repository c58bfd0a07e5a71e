// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "conflict_free/expectation.hpp"

#include <sstream>

namespace conflict_free {

namespace {

using simt::GlobalCounts;
using simt::LaunchCounts;
using simt::SharedCounts;

double ratio(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

template <class Counts>
Metric metric(const std::string& group, const char* name, Counts LaunchCounts::*counts, double (*value)(const Counts&))
{
    return {group + "." + name, [=](const LaunchCounts& launch) { return value(launch.*counts); }};
}

SharedMetrics shared_metrics(const std::string& group, SharedCounts LaunchCounts::*counts)
{
    using C = const SharedCounts&;
    return {
        metric<SharedCounts>(group, "instructions", counts, [](C c) { return static_cast<double>(c.instructions); }),
        metric<SharedCounts>(group, "wavefronts", counts, [](C c) { return static_cast<double>(c.wavefronts); }),
        metric<SharedCounts>(group, "conflicts", counts, [](C c) { return static_cast<double>(c.conflicts()); }),
        metric<SharedCounts>(group, "wavefronts_per_instruction", counts, [](C c) { return ratio(c.wavefronts, c.instructions); }),
    };
}

GlobalMetrics global_metrics(const std::string& group, GlobalCounts LaunchCounts::*counts)
{
    using C = const GlobalCounts&;
    return {
        metric<GlobalCounts>(group, "requests", counts, [](C c) { return static_cast<double>(c.requests); }),
        metric<GlobalCounts>(group, "sectors", counts, [](C c) { return static_cast<double>(c.sectors); }),
        metric<GlobalCounts>(group, "sectors_per_request", counts, [](C c) { return ratio(c.sectors, c.requests); }),
        metric<GlobalCounts>(group, "sectors_over_ideal", counts, [](C c) { return ratio(c.sectors, c.ideal_sectors); }),
        {group + ".requests_per_block", [=](const LaunchCounts& launch) {
             const auto& grid = launch.grid;
             return ratio((launch.*counts).requests, std::uint64_t{grid.x} * grid.y * grid.z);
         }},
    };
}

Metric partition_metric(const char* name, simt::PartitionUse simt::PartitionCounts::*use)
{
    return {name, [=](const LaunchCounts& launch) { return launch.partitions ? ((*launch.partitions).*use).mean() : 0.0; }};
}

Expectation expectation(const Metric& metric, const char* comparison, double wanted, std::function<bool(double)> holds)
{
    std::ostringstream text;
    text.precision(15);
    text << metric.name << " " << comparison << " " << wanted;
    return {.text = text.str(), .metric = metric, .holds = std::move(holds)};
}

}  // namespace

Expectation operator==(const Metric& metric, double wanted)
{
    return expectation(metric, "==", wanted, [wanted](double seen) { return seen == wanted; });
}
Expectation operator<=(const Metric& metric, double wanted)
{
    return expectation(metric, "<=", wanted, [wanted](double seen) { return seen <= wanted; });
}
Expectation operator>=(const Metric& metric, double wanted)
{
    return expectation(metric, ">=", wanted, [wanted](double seen) { return seen >= wanted; });
}
Expectation operator<(const Metric& metric, double wanted)
{
    return expectation(metric, "<", wanted, [wanted](double seen) { return seen < wanted; });
}
Expectation operator>(const Metric& metric, double wanted)
{
    return expectation(metric, ">", wanted, [wanted](double seen) { return seen > wanted; });
}

const SharedMetrics shared_load = shared_metrics("shared_load", &LaunchCounts::shared_load);
const SharedMetrics shared_store = shared_metrics("shared_store", &LaunchCounts::shared_store);
const GlobalMetrics global_load = global_metrics("global_load", &LaunchCounts::global_load);
const GlobalMetrics global_store = global_metrics("global_store", &LaunchCounts::global_store);
const PartitionMetrics partitions_per_step{partition_metric("partitions_per_step.load", &simt::PartitionCounts::load),
                                            partition_metric("partitions_per_step.store", &simt::PartitionCounts::store)};
const Metric barriers{"barriers", [](const LaunchCounts& launch) { return static_cast<double>(launch.barriers); }};

}  // namespace conflict_free
