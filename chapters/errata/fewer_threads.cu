// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One lane a warp has no conflicts, and takes as many wavefronts as the worst conflict.

#include <cstdio>
#include <cuda_runtime.h>

// [fewer_threads]
__global__ void fewer_threads(int* output)
{
    __shared__ int tile[32][32];
    for (int row = 0; row < 32; ++row) tile[row][threadIdx.x] = row * 32 + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int row = 0; row < 32; ++row) output[row] = tile[row][5];
}
// [/fewer_threads]

int main()
{
    int* output;
    cudaMallocManaged(&output, 32 * sizeof(int));
    fewer_threads<<<1, 32>>>(output);
    cudaDeviceSynchronize();
    return 0;
}
