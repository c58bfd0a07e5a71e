// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Right: the two points of a thread have names, and no array.

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

// Of two points of a thread the second is BLOCK points on.
__global__ void nearest_kernel(int4* neighbors, const float3* points, int n)
{
    __shared__ float3 tile[BLOCK];
    int tid = threadIdx.x;
    int a = blockIdx.x * 2 * BLOCK + tid, b = a + BLOCK;
    float3 point_a = a < n ? points[a] : make_float3(0, 0, 0);
    float3 point_b = b < n ? points[b] : make_float3(0, 0, 0);
    Nearest nearest_a, nearest_b;

    for (int first = 0; first < n; first += BLOCK) {
        int count = min(BLOCK, n - first);
        if (tid < count)
            tile[tid] = points[first + tid];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float3 other = tile[j];
            if (first + j != a)
                look_at(nearest_a, squared_distance(point_a, other), first + j);
            if (first + j != b)
                look_at(nearest_b, squared_distance(point_b, other), first + j);
        }
        __syncthreads();
    }
    if (a < n)
        neighbors[a] = indices(nearest_a);
    if (b < n)
        neighbors[b] = indices(nearest_b);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / (2 * BLOCK) + 1, BLOCK>>>(reinterpret_cast<int4*>(neighbors), points, n);
}
