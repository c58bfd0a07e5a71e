// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The first add during the load reads past the end unless n is a multiple of twice the block.

#include <cstdio>
#include <cuda_runtime.h>

// [add_past_the_end]
__global__ void add_past_the_end(int* sums, const int* input)
{
    __shared__ int part[128];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = input[i] + input[i + 128];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/add_past_the_end]

int main()
{
    constexpr int N = 400, BLOCK = 128;
    int *input, *sums;
    cudaMallocManaged(&input, N * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    long wanted = 0;
    for (int i = 0; i < N; ++i) wanted += input[i] = i % 7 + 1;
    add_past_the_end<<<2, BLOCK>>>(sums, input);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2; ++i) sum += sums[i];
    std::printf("the sum is %ld, and should be %ld\n", sum, wanted);
    return sum != wanted;
}
