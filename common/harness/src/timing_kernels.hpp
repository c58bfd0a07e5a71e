/// Kernels that run beside those that are timed. They have a file of their own because nvcc takes long for the headers of timing.cpp.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace conflict_free {

/// Starts to read all `count` elements of `data`.
void read_all(const uint4* data, std::size_t count, unsigned* sink);

/// Differences of the multiprocessors' clock and of the GPU's timer, read by one thread.
struct ClockWatch { unsigned long long cycles, nanoseconds; };

/// Starts to count cycles for `nanoseconds`.
void watch_clock(unsigned long long nanoseconds, ClockWatch* seen, cudaStream_t stream);

}  // namespace conflict_free
