// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Right sums, but a lane reads 8 successive elements, so that neighboring lanes read elements that are 8 apart.

#include <cuda_runtime.h>

__global__ void add_up_rows(float* sums, const float* matrix, int width, int height)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= height)
        return;

    float sum = 0;
    for (int x = 8 * lane; x < width; x += 8 * 32)
        for (int i = 0; i < 8 && x + i < width; i++)
            sum += matrix[row * width + x + i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0)
        sums[row] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    add_up_rows<<<(height + 7) / 8, 256>>>(sums, matrix, width, height);
}
