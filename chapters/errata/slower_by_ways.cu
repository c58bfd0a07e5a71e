// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A conflict of N ways is N times slower": one warp, then 32 warps of a multiprocessor load with
// conflicts of 1 to 32 ways, and read the clock.

#include <cstdio>
#include <cuda_runtime.h>

// [slower_by_ways]
__global__ void slower_by_ways(int* sums, long long* cycles, int ways)
{
    __shared__ int words[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
    __syncthreads();

    // Neighboring lanes are `ways` words apart. Volatile, so that each load is made.
    volatile int* word = &words[ways * (threadIdx.x % 32)];
    int sum = 0;
    long long start = clock64();
#pragma unroll 16
    for (int load = 0; load < 256; ++load) sum += *word;
    sums[threadIdx.x] = sum;
    // All warps are done.
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
}
// [/slower_by_ways]

int main()
{
    int *sums, wrong = 0;
    long long* cycles;
    cudaMallocManaged(&sums, 1024 * sizeof(int));
    cudaMallocManaged(&cycles, sizeof(long long));
    for (int warps = 1; warps <= 32; warps *= 32) {
        const char* of = warps == 1 ? "" : "full_";
        double one_way = 0;
        for (int ways = 1; ways <= 32; ways *= 2) {
            // The second launch finds its code in the cache.
            for (int launch = 0; launch < 2; ++launch) {
                slower_by_ways<<<1, 32 * warps>>>(sums, cycles, ways);
                cudaDeviceSynchronize();
            }
            for (int thread = 0; thread < 32 * warps; ++thread) wrong += sums[thread] != 256 * ways * (thread % 32);
            // The model's clock counts how often it is read.
            if (*cycles < 256) continue;
            double a_load = static_cast<double>(*cycles) / (256 * warps);
            if (ways == 1) one_way = a_load;
            std::printf("figure %scycles_%d %.4g\nfigure %sslowdown_%d %.4g\n", of, ways, a_load, of, ways, a_load / one_way);
        }
    }
    std::printf("%d sums are wrong\n", wrong);
    return wrong != 0;
}
