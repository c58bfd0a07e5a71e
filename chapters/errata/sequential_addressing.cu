// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Each warp gets one bank": each lane gets its own.

#include <cstdio>
#include <cuda_runtime.h>

// [sequential_addressing]
__global__ void sequential_addressing(int* sums, const int* input)
{
    __shared__ int part[256];
    part[threadIdx.x] = input[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/sequential_addressing]

int main()
{
    constexpr int N = 512, BLOCK = 256;
    int *input, *sums;
    cudaMallocManaged(&input, N * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    long wanted = 0;
    for (int i = 0; i < N; ++i) wanted += input[i] = i % 7 + 1;
    sequential_addressing<<<2, BLOCK>>>(sums, input);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2; ++i) sum += sums[i];
    std::printf("the sum is %ld, and should be %ld\n", sum, wanted);
    return sum != wanted;
}
