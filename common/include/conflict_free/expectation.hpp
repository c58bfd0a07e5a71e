// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What a chapter expects of a kernel's counts, written beside the kernel:
/// `.expect(global_store.sectors_per_request == 32)`.
#pragma once

#include <functional>
#include <string>

#include "simt/counts.hpp"

namespace conflict_free {

/// A number read off a launch's counts, with the name it has in reports.
struct Metric {
    std::string name;
    std::function<double(const simt::LaunchCounts&)> value;
};

/// A statement about a metric that a launch's counts meet or do not meet.
struct Expectation {
    /// The statement as written, such as "shared_load.conflicts == 0".
    std::string text;
    Metric metric;
    std::function<bool(double)> holds;
    /// The modelled machine that the statement is about.
    std::string machine = "sm_90";
};

/// @name Statements about a metric
/// Counts are whole numbers and ratios of them; they are compared exactly.
/// @{
Expectation operator==(const Metric& metric, double wanted);
Expectation operator<=(const Metric& metric, double wanted);
Expectation operator>=(const Metric& metric, double wanted);
Expectation operator<(const Metric& metric, double wanted);
Expectation operator>(const Metric& metric, double wanted);
/// @}

/// Metrics of shared-memory loads or stores. Units: warp-level instructions, wavefronts, and either of them ÷ blocks of
/// all launches.
struct SharedMetrics {
    Metric instructions, wavefronts, conflicts, wavefronts_per_instruction, wavefronts_per_block, conflicts_per_block;
};

/// Metrics of global-memory loads or stores. Units: requests, 32-byte sectors, sectors ÷ ideal sectors, and requests ÷
/// blocks of all launches.
struct GlobalMetrics {
    Metric requests, sectors, sectors_per_request, sectors_over_ideal, requests_per_block;
};

/// Partitions of device memory that the concurrent blocks use together in one step, on average over all steps; 0 on
/// machines whose partitions are not watched.
struct PartitionMetrics {
    Metric load, store;
};

extern const SharedMetrics shared_load, shared_store;
extern const GlobalMetrics global_load, global_store;
extern const PartitionMetrics partitions_per_step;
/// Block barriers of the whole grid.
extern const Metric barriers;

}  // namespace conflict_free
