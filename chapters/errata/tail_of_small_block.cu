// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The same tail in a block of 32 threads: it loads beyond the shared memory of the block.

#include <cstdio>
#include <cuda_runtime.h>

// [tail_of_small_block]
__global__ void tail_of_small_block(int* sums, const int* input)
{
    extern __shared__ int part[];
    part[threadIdx.x] = input[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 32; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        volatile int* tail = part;
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 32];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 16];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 8];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 4];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 2];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 1];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/tail_of_small_block]

int main()
{
    constexpr int N = 64, BLOCK = 32;
    int *input, *sums;
    cudaMallocManaged(&input, N * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    long wanted = 0;
    for (int i = 0; i < N; ++i) wanted += input[i] = i % 7 + 1;
    tail_of_small_block<<<2, BLOCK, BLOCK * sizeof(int)>>>(sums, input);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2; ++i) sum += sums[i];
    std::printf("the sum is %ld, and should be %ld\n", sum, wanted);
    return sum != wanted;
}
