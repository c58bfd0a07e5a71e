// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Wrong: right neighbors, and every thread reads every point from global memory.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

__device__ float squared_distance(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

struct Nearest {
    float distance[NEIGHBORS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int index[NEIGHBORS] = {-1, -1, -1, -1};
};

__device__ void look_at(Nearest& nearest, float distance, int j)
{
    int k = NEIGHBORS;
    while (k > 0 && distance < nearest.distance[k - 1]) {
        if (k < NEIGHBORS) {
            nearest.distance[k] = nearest.distance[k - 1];
            nearest.index[k] = nearest.index[k - 1];
        }
        --k;
    }
    if (k < NEIGHBORS) {
        nearest.distance[k] = distance;
        nearest.index[k] = j;
    }
}

__device__ int4 indices(const Nearest& nearest)
{
    return make_int4(nearest.index[0], nearest.index[1], nearest.index[2], nearest.index[3]);
}

__global__ void nearest_kernel(int4* neighbors, const float3* points, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float3 mine = points[i];
    Nearest nearest;
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
        float3 other = points[j];
        if (j != i)
            look_at(nearest, squared_distance(mine, other), j);
    }
    neighbors[i] = indices(nearest);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(reinterpret_cast<int4*>(neighbors), points, n);
}
