// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A barrier that only the threads with an element left reach.

#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void add_up_row(float* sums, const float* matrix, int width)
{
    __shared__ float partial[THREADS];
    partial[threadIdx.x] = 0;
    for (int x = threadIdx.x; x < width; x += THREADS) {
        partial[threadIdx.x] += matrix[blockIdx.x * width + x];
        __syncthreads();
    }
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    add_up_row<<<height, THREADS>>>(sums, matrix, width);
}
