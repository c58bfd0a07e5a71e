#include "conflict_free/expectation.hpp"

#include <sstream>
#include <utility>

namespace conflict_free {

namespace {

using simt::GlobalCounts;
using simt::LaunchCounts;
using simt::SharedCounts;

double ratio(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole); }

template <class Counts>
Metric metric(const std::string& group, const char* name, Counts LaunchCounts::* counts, double (*value)(const Counts&)) {
    return {group + "." + name, [=](const LaunchCounts& launch) { return value(launch.*counts); }};
}

Metric per_block(const Metric& metric) {
    return {metric.name + "_per_block",
            [value = metric.value](const LaunchCounts& launch) { return value(launch) / static_cast<double>(launch.blocks); }};
}

SharedMetrics shared_metrics(const std::string& group, SharedCounts LaunchCounts::* counts) {
    using C = const SharedCounts&;
    const Metric wavefronts = metric<SharedCounts>(group, "wavefronts", counts, [](C c) { return static_cast<double>(c.wavefronts); });
    const Metric conflicts = metric<SharedCounts>(group, "conflicts", counts, [](C c) { return static_cast<double>(c.conflicts()); });
    return {
        metric<SharedCounts>(group, "instructions", counts, [](C c) { return static_cast<double>(c.instructions); }),
        wavefronts,
        conflicts,
        metric<SharedCounts>(group, "wavefronts_per_instruction", counts, [](C c) { return ratio(c.wavefronts, c.instructions); }),
        per_block(wavefronts),
        per_block(conflicts),
    };
}

GlobalMetrics global_metrics(const std::string& group, GlobalCounts LaunchCounts::* counts) {
    using C = const GlobalCounts&;
    const Metric requests = metric<GlobalCounts>(group, "requests", counts, [](C c) { return static_cast<double>(c.requests); });
    return {
        requests,
        metric<GlobalCounts>(group, "sectors", counts, [](C c) { return static_cast<double>(c.sectors); }),
        metric<GlobalCounts>(group, "sectors_per_request", counts, [](C c) { return ratio(c.sectors, c.requests); }),
        metric<GlobalCounts>(group, "sectors_over_ideal", counts, [](C c) { return ratio(c.sectors, c.ideal_sectors); }),
        per_block(requests),
    };
}

Metric partition_metric(const char* name, simt::PartitionUse simt::PartitionCounts::* use) {
    return {name, [=](const LaunchCounts& launch) { return launch.partitions ? ((*launch.partitions).*use).mean() : 0.0; }};
}

Expectation expectation(const Metric& metric, const char* comparison, double wanted, std::function<bool(double)> holds) {
    std::ostringstream text;
    text.precision(15);
    text << metric.name << " " << comparison << " " << wanted;
    return {.text = text.str(), .metric = metric, .holds = std::move(holds)};
}

}  // namespace

Expectation operator==(const Metric& metric, double wanted) {
    return expectation(metric, "==", wanted, [wanted](double seen) { return seen == wanted; });
}
Expectation operator<=(const Metric& metric, double wanted) {
    return expectation(metric, "<=", wanted, [wanted](double seen) { return seen <= wanted; });
}
Expectation operator>=(const Metric& metric, double wanted) {
    return expectation(metric, ">=", wanted, [wanted](double seen) { return seen >= wanted; });
}
Expectation operator<(const Metric& metric, double wanted) {
    return expectation(metric, "<", wanted, [wanted](double seen) { return seen < wanted; });
}
Expectation operator>(const Metric& metric, double wanted) {
    return expectation(metric, ">", wanted, [wanted](double seen) { return seen > wanted; });
}

Expectation on(std::string machine, Expectation expectation) {
    expectation.machine = std::move(machine);
    return expectation;
}

const SharedMetrics shared_load = shared_metrics("shared_load", &LaunchCounts::shared_load);
const SharedMetrics shared_store = shared_metrics("shared_store", &LaunchCounts::shared_store);
const GlobalMetrics global_load = global_metrics("global_load", &LaunchCounts::global_load);
const GlobalMetrics global_store = global_metrics("global_store", &LaunchCounts::global_store);
const PartitionMetrics partitions_per_step{partition_metric("partitions_per_step.load", &simt::PartitionCounts::load),
                                           partition_metric("partitions_per_step.store", &simt::PartitionCounts::store)};
#define SIMT_NUMBER(name) const Metric name{#name, [](const LaunchCounts& launch) { return static_cast<double>(launch.name); }};
#include "simt/counts.def"
const Metric barriers_per_block = per_block(barriers);
const GlobalMetrics global_atomic = global_metrics("global_atomic", &LaunchCounts::global_atomic);

}  // namespace conflict_free
