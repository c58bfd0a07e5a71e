// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// An access that is free where half a warp is served at a time, from 16 banks.

#include <cstdio>
#include <cuda_runtime.h>

// [half_warps]
__global__ void half_warps(int* output)
{
    __shared__ int words[64];
    // Each half of the warp has 16 neighboring words, 32 words apart.
    int at = threadIdx.x % 16 + threadIdx.x / 16 * 32;
    words[at] = at;
    __syncthreads();
    output[threadIdx.x] = words[at];
}
// [/half_warps]

int main()
{
    int* output;
    cudaMallocManaged(&output, 32 * sizeof(int));
    half_warps<<<1, 32>>>(output);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 32; ++i) wrong += output[i] != i % 16 + i / 16 * 32;
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
