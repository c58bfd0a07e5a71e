// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A hit in the L1 costs the same for all strides": the warps of a block load floats that the L1 holds, `apart` floats apart.

#include <cstdio>
#include <cuda_runtime.h>

constexpr int LOADS = 1024, PIECES = 16, THREADS = 1024, WORDS_OF_LINE = 32;

// [loads_from_the_l1]
// `none` is 0. The compiler does not know that, so it loads again.
__global__ void loads_from_the_l1(const float* input, int apart, int none, float* sums, long long* cycles)
{
    const float* from = input + threadIdx.x % warpSize * apart;
    float sum = 0;
    long long start;
    // The first round brings the lines into the L1.
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = clock64();
        for (int load = 0; load < LOADS; load += PIECES, from += none)
            for (int piece = 0; piece < PIECES; ++piece) sum += from[piece * WORDS_OF_LINE];
        sums[threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
}
// [/loads_from_the_l1]

int main()
{
    float *input, *sums;
    long long* cycles;
    constexpr int most_apart = 33, words = 31 * most_apart + PIECES * WORDS_OF_LINE;
    cudaMalloc(&input, sizeof(float) * words);
    cudaMemset(input, 0, sizeof(float) * words);
    cudaMalloc(&sums, sizeof(float) * THREADS);
    cudaMallocManaged(&cycles, sizeof(long long));
    for (int apart : {1, 2, 4, 8, 9, 16, 17, 24, 32, most_apart}) {
        loads_from_the_l1<<<1, THREADS>>>(input, apart, 0, sums, cycles);
        cudaDeviceSynchronize();
        // The model's clock counts how often it is read.
        if (*cycles > LOADS) std::printf("figure apart_%d_cycles %.4g\n", apart, double(*cycles) / LOADS / (THREADS / 32));
    }
    return 0;
}
