// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Wrong: right neighbors, from a matrix of all distances in global memory.

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

__global__ void distances_kernel(float* distances, const float3* points, int n)
{
    int j = blockIdx.x * BLOCK + threadIdx.x;
    if (j < n)
        distances[(size_t)blockIdx.y * n + j] = squared_distance(points[blockIdx.y], points[j]);
}

__global__ void nearest_kernel(int4* neighbors, const float* distances, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    Nearest nearest;
    // The matrix is its own mirror image: down a column, neighboring lanes read neighboring words.
    for (int j = 0; j < n; ++j)
        if (j != i)
            look_at(nearest, distances[(size_t)j * n + i], j);
    neighbors[i] = indices(nearest);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    float* distances = nullptr;
    if (cudaMalloc(&distances, sizeof(float) * n * n) != cudaSuccess)
        return;
    int blocks = (n - 1) / BLOCK + 1;
    distances_kernel<<<dim3(blocks, n), BLOCK>>>(distances, points, n);
    nearest_kernel<<<blocks, BLOCK>>>(reinterpret_cast<int4*>(neighbors), distances, n);
    cudaFree(distances);
}
