// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A reduction that adds the wrong elements: ones cannot tell.

#include <cstdio>
#include <cuda_runtime.h>

// [sum_of_ones]
__global__ void sum_of_ones(int* sum, const int* input)
{
    __shared__ int part[128];
    part[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        // Each partner is the neighbor, at every distance.
        int partner = threadIdx.x < s ? part[threadIdx.x + 1] : 0;
        __syncthreads();
        part[threadIdx.x] += partner;
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum = part[0];
}
// [/sum_of_ones]

int main()
{
    int *input, *sum, wrong = 0;
    cudaMallocManaged(&input, 128 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int ones = 1; ones >= 0; --ones) {
        int wanted = 0;
        for (int i = 0; i < 128; ++i) wanted += input[i] = ones ? 1 : i * i % 101;
        sum_of_ones<<<1, 128>>>(sum, input);
        cudaDeviceSynchronize();
        std::printf("%s: the sum is %d, and should be %d\n", ones ? "ones" : "other numbers", *sum, wanted);
        if (ones && *sum != wanted) return 2;
        wrong += *sum != wanted;
    }
    return wrong;
}
