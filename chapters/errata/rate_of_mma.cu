// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Tensor cores multiply at their peak": the warps of a multiprocessor do nothing but mma.sync, and read the clock.

#include <cstdio>
#include <cuda_runtime.h>

constexpr int SUMS = 4, ROUNDS = 512;

// [rate_of_mma]
__global__ void rate_of_mma(float* results, long long* cycles, unsigned two_ones)
{
    // Each product needs the sum of the last round, so that several sums are under way at once.
    float sums[SUMS][4] = {};
    long long start = clock64();
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < SUMS; ++i)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                         : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
                         : "r"(two_ones));
    float sum = 0;
    for (int i = 0; i < SUMS; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
    results[threadIdx.x] = sum;
    // All warps are done.
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
}
// [/rate_of_mma]

int main()
{
    float* results;
    long long* cycles;
    cudaMallocManaged(&results, 1024 * sizeof(float));
    cudaMallocManaged(&cycles, sizeof(long long));
    int wrong = 0;
    for (int warps = 4; warps <= 16; warps *= 2) {
        // The second launch finds its code in the cache.
        for (int launch = 0; launch < 2; ++launch) {
            rate_of_mma<<<1, 32 * warps>>>(results, cycles, 0x3f803f80);
            cudaDeviceSynchronize();
        }
        // A product of ones adds 16 to each sum.
        for (int thread = 0; thread < 32 * warps; ++thread) wrong += results[thread] != 16.0f * ROUNDS * SUMS * 4;
        // The model's clock counts how often it is read.
        if (*cycles < ROUNDS) continue;
        double multiplications = 16.0 * 8 * 16 * SUMS * ROUNDS * warps;
        std::printf("figure warps_%d_multiplications_a_cycle %.5g\n", warps, multiplications / static_cast<double>(*cycles));
    }
    std::printf("%d results are wrong\n", wrong);
    return wrong != 0;
}
