// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A load of 4 bytes moves 4 bytes": as many loads of neighboring floats, and of floats two, four and eight apart.

#include "milliseconds.cuh"

#include <algorithm>
#include <cstdio>

constexpr int LOADS = 4;

// [every_eighth]
__global__ void every_eighth(const float* input, int apart, float* sums)
{
    size_t i = size_t(blockIdx.x) * LOADS * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int load = 0; load < LOADS; ++load) sum += input[(i + load * blockDim.x) * apart];
    // No number is negative. The compiler does not know that, so it keeps the loads.
    if (sum < 0) sums[blockIdx.x] = sum;
}
// [/every_eighth]

constexpr size_t small_loads = 4096, large_loads = 1 << 25;
constexpr int most_apart = 8;

// The milliseconds of the fastest of some launches.
float best_time(const float* input, int apart, float* sums, size_t loads, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        every_eighth<<<unsigned(loads / (256 * LOADS)), 256>>>(input, apart, sums);
    });
    return *std::min_element(times.begin(), times.end());
}

int main()
{
    float *input, *sums;
    cudaMalloc(&input, sizeof(float) * large_loads * most_apart);
    cudaMalloc(&sums, sizeof(float) * large_loads / (256 * LOADS));
    cudaMemset(input, 0, sizeof(float) * small_loads * most_apart);
    bool has_time = !std::isnan(best_time(input, 1, sums, small_loads, 1));
    best_time(input, most_apart, sums, small_loads, 1);
    // The model has no time.
    if (!has_time) return 0;
    cudaMemset(input, 0, sizeof(float) * large_loads * most_apart);
    for (int apart : {1, 2, 4, most_apart}) {
        float ms = best_time(input, apart, sums, large_loads, 20);
        std::printf("figure apart_%d_ms %.5g\n", apart, ms);
        std::printf("figure apart_%d_moved_gbps %.5g\n", apart, double(large_loads) * sizeof(float) * apart / ms / 1e6);
    }
    return 0;
}
