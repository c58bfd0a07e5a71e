// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The last tile of points is loaded in part, and read in full.

#include <cstdio>
#include <cuda_runtime.h>

// [stale_tile_points]
__global__ void stale_tile_points(float* nearest, const float* points, int n)
{
    __shared__ float tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    float least = 1e30f;
    for (int start = 0; start < n; start += 32) {
        if (start + threadIdx.x < n) tile[threadIdx.x] = points[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float distance = i < n ? fabsf(tile[k] - points[i]) : 1e30f;
            if (start + k < n && start + k != i) least = fminf(least, distance);
        }
        __syncthreads();
    }
    if (i < n) nearest[i] = least;
}
// [/stale_tile_points]

int main()
{
    constexpr int N = 20;
    float *points, *nearest;
    cudaMallocManaged(&points, N * sizeof(float));
    cudaMallocManaged(&nearest, N * sizeof(float));
    for (int i = 0; i < N; ++i) points[i] = static_cast<float>(i * i);
    stale_tile_points<<<1, 32>>>(nearest, points, N);
    cudaDeviceSynchronize();
    int wrong = nearest[0] != 1;
    for (int i = 1; i < N; ++i) wrong += nearest[i] != static_cast<float>(2 * i - 1);
    std::printf("%d distances are wrong\n", wrong);
    return wrong != 0;
}
