// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A guard that tests the wrong index: the tail of shared memory is read uninitialized.

#include <cstdio>
#include <cuda_runtime.h>

// [guard_on_wrong_index]
__global__ void guard_on_wrong_index(int* sums, const int* input, int n)
{
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) part[threadIdx.x] = input[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s && blockDim.x * blockIdx.x + s < n)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/guard_on_wrong_index]

int main()
{
    constexpr int N = 220, BLOCK = 128;
    int *input, *sums;
    cudaMallocManaged(&input, N * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    long wanted = 0;
    for (int i = 0; i < N; ++i) wanted += input[i] = i % 7 + 1;
    guard_on_wrong_index<<<2, BLOCK>>>(sums, input, N);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2; ++i) sum += sums[i];
    std::printf("the sum is %ld, and should be %ld\n", sum, wanted);
    return sum != wanted;
}
