// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Expectations of a kernel's counts, written beside the kernel:
/// `.expect = {global_store.sectors_per_request == 32}`.
#pragma once

#include <string>

#include "conflict_free/std_function.hpp"
#include "simt/counts.hpp"

namespace conflict_free {

/// A number read off a launch's counts, with the name it has in reports.
struct Metric {
    /// The metric's name, such as "shared_load.conflicts".
    std::string name;
    /// Reads it off the counts.
    std::function<double(const simt::LaunchCounts&)> value;
};

/// A statement about a metric that a launch's counts meet or do not meet.
struct Expectation {
    /// The statement as written, such as "shared_load.conflicts == 0".
    std::string text;
    /// The metric that it is about.
    Metric metric;
    /// Whether a value of the metric meets it.
    std::function<bool(double)> holds;
    /// The modeled machine that the statement is about.
    std::string machine = "sm_90";
};

/// @name Statements about a metric
/// Counts are whole numbers and ratios of them; they are compared exactly.
/// @{

/// The metric equals `wanted`.
Expectation operator==(const Metric& metric, double wanted);
/// The metric is at most `wanted`.
Expectation operator<=(const Metric& metric, double wanted);
/// The metric is at least `wanted`.
Expectation operator>=(const Metric& metric, double wanted);
/// The metric is below `wanted`.
Expectation operator<(const Metric& metric, double wanted);
/// The metric is above `wanted`.
Expectation operator>(const Metric& metric, double wanted);
/// The same statement about another modeled machine, such as "gt200".
Expectation on(std::string machine, Expectation expectation);
/// @}

/// Metrics of shared-memory loads or stores. "A block" is one of all launches.
struct SharedMetrics {
    /// Warp-level instructions.
    Metric instructions;
    /// Wavefronts of all instructions.
    Metric wavefronts;
    /// Wavefronts above the ideal.
    Metric conflicts;
    /// Wavefronts ÷ instructions.
    Metric wavefronts_per_instruction;
    /// Wavefronts ÷ blocks.
    Metric wavefronts_per_block;
    /// Conflicts ÷ blocks.
    Metric conflicts_per_block;
};

/// Metrics of global-memory loads or stores. "A block" is one of all launches.
struct GlobalMetrics {
    /// Warp-level instructions.
    Metric requests;
    /// Sectors of 32 bytes of all requests.
    Metric sectors;
    /// Sectors ÷ requests.
    Metric sectors_per_request;
    /// Sectors ÷ the fewest that the bytes asked for need.
    Metric sectors_over_ideal;
    /// Requests ÷ blocks.
    Metric requests_per_block;
};

/// Partitions of device memory that the concurrent blocks use together in one step, on average over all steps; 0 on
/// machines whose partitions are not watched.
struct PartitionMetrics {
    /// By loads.
    Metric load;
    /// By stores.
    Metric store;
};

/// Metrics of the loads from shared memory.
extern const SharedMetrics shared_load;
/// Metrics of the stores to shared memory.
extern const SharedMetrics shared_store;
/// Metrics of the loads from global memory.
extern const GlobalMetrics global_load;
/// Metrics of the stores to global memory.
extern const GlobalMetrics global_store;
/// Partitions that are used together.
extern const PartitionMetrics partitions_per_step;
/// @cond
#define SIMT_NUMBER(name) extern const Metric name;
#include "simt/counts.def"
/// @endcond
/// Block barriers ÷ blocks. Each count of a launch that belongs to no memory, such as `barriers`, is a metric as well: see
/// `simt/counts.def`.
extern const Metric barriers_per_block;
/// Metrics of the atomic operations on global memory.
extern const GlobalMetrics global_atomic;

}  // namespace conflict_free
