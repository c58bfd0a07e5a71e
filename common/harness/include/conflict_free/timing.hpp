// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// How long a kernel takes on the GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// The spread of a kernel's time over many samples, in milliseconds for doing the work once: a launch, or a repetition
/// where a launch does it several times.
struct Spread {
    /// Half of the samples are below it.
    double median_ms = 0;
    /// A tenth of the samples is below it.
    double p10_ms = 0;
    /// Nine tenths of the samples are below it.
    double p90_ms = 0;
    /// Number of samples.
    int samples = 0;
    /// Launches in a sample; its time is divided by them, and by the repetitions of the work in each.
    int launches_per_sample = 0;
};

/// Times of one kernel at one size.
struct Times {
    /// At the start of a launch the L2 holds nothing that the kernel reads or writes.
    Spread cold;
    /// The same buffers launch after launch, so that the L2 may hold them if they fit.
    Spread warm;
};

/// Times `launch` by CUDA events.
/// - Warm-up launches come first and are not timed.
/// - A cold sample reads a buffer of four times the L2 to displace its content (reads, because written lines would
///   have to go back to memory during the timed launches), then launches on one buffer set after another until the
///   sample lasts about a millisecond or all `sets` are used, each set once. With the sets together several times the
///   L2, no launch finds its data there.
/// - A warm sample launches on buffer set 0 often enough to last about a millisecond.
/// - If all samples would take more than about two seconds, fewer are taken, but at least 10.
/// @param launch starts the kernel on the given buffer set
/// @param sets number of buffer sets, from 1
/// @param samples number of samples of each kind, from 1; see above
/// @param repetitions how often one launch does the work, from 1
Times measure_times(const std::function<void(int set)>& launch, int sets, int samples, int repetitions);

/// The clock of the multiprocessors while `launch` keeps them busy, in MHz: one thread beside it counts cycles for some
/// milliseconds of the GPU's own timer.
/// @param launch starts the kernel
/// @param launch_ms about how long a launch runs
double measure_sm_mhz(const std::function<void()>& launch, double launch_ms);

/// The power that the GPU takes while one launch follows another without a pause, in watts: the median of readings over 0.2 s, behind
/// 0.4 s in which the clock and the power settle. Nothing where the driver's library NVML does not report it.
/// @param launch starts the kernel
/// @param launch_ms about how long a launch runs
std::optional<double> measure_watts(const std::function<void()>& launch, double launch_ms);

/// Times `compute`, which runs on the host, by the host's monotonic clock. One run comes first and is not timed. Samples are
/// one run each, and as many as measure_times() would take of a kernel that runs as long.
Spread measure_host_time(const std::function<void()>& compute, int samples);

/// Buffer sets of `bytes_of_set` bytes each that a cold sample needs: enough for four times the L2, at most 64.
int sets_for_cold_samples(std::size_t bytes_of_set);

/// Milliseconds of each of `samples` runs in a stream, from 1. `before` is enqueued before each of them and is not timed.
std::vector<double> sample_in_stream(cudaStream_t stream, int samples, const std::function<void()>& before,
                                     const std::function<void()>& run);

/// Median and percentiles of samples, of which there is at least one.
Spread spread_of(std::vector<double> samples, int launches_per_sample);

}  // namespace conflict_free
