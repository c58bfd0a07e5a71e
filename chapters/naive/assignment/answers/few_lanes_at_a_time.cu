// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Right sums, but each warp has eight threads, and they meet in global memory: four times as many atomic operations.

#include <cuda_runtime.h>

__global__ void add_up_rows(float* sums, const float* matrix, int width)
{
    for (int x = blockIdx.y * blockDim.x + threadIdx.x; x < width; x += gridDim.y * blockDim.x)
        atomicAdd(&sums[blockIdx.x], matrix[blockIdx.x * width + x]);
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    cudaMemset(sums, 0, height * sizeof(float));
    add_up_rows<<<dim3(height, 16), 8>>>(sums, matrix, width);
}
