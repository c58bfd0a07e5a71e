#include "timing_kernels.hpp"

namespace conflict_free {

namespace {

/// Reads all of `data`. The compiler keeps the reads, since the sum is stored if it has one particular value.
__global__ void read_each(const uint4* data, std::size_t count, unsigned* sink) {
    unsigned sum = 0;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        const uint4 value = data[i];
        sum += value.x + value.y + value.z + value.w;
    }
    if (sum == 0x9E3779B9u) *sink = sum;
}

__device__ unsigned long long timer_ns() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/// Counts cycles for `nanoseconds`.
__global__ void count_cycles(unsigned long long nanoseconds, ClockWatch* seen) {
    const unsigned long long began = timer_ns();
    const long long first = clock64();
    unsigned long long passed = 0;
    while (passed < nanoseconds) passed = timer_ns() - began;
    *seen = {static_cast<unsigned long long>(clock64() - first), passed};
}

}  // namespace

void read_all(const uint4* data, std::size_t count, unsigned* sink) { read_each<<<1024, 256>>>(data, count, sink); }

void watch_clock(unsigned long long nanoseconds, ClockWatch* seen, cudaStream_t stream) {
    count_cycles<<<1, 1, 0, stream>>>(nanoseconds, seen);
}

}  // namespace conflict_free
