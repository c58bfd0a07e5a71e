// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Finds the four nearest other points of each of n points, in order of distance, and of index where distances are equal.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

__device__ float squared_distance(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

// BEGIN SOLUTION
// The number of points whose neighbors a thread finds. Each word read from shared memory serves all of them.
constexpr int POINTS = 2;

struct Nearest {
    float distance[NEIGHBORS];
    int index[NEIGHBORS];
};

// Inserts point j in its place, or leaves it out. Indices rise from call to call, so the lower index stays ahead at equal distances.
__device__ void look_at(Nearest& nearest, float distance, int j)
{
#pragma unroll
    for (int k = NEIGHBORS - 1; k >= 0; --k) {
        if (!(distance < nearest.distance[k]))
            return;
        if (k + 1 < NEIGHBORS) {
            nearest.distance[k + 1] = nearest.distance[k];
            nearest.index[k + 1] = nearest.index[k];
        }
        nearest.distance[k] = distance;
        nearest.index[k] = j;
    }
}

__global__ void nearest_kernel(int* neighbors, const float3* points, int n)
{
    __shared__ float3 tile[BLOCK];
    int tid = threadIdx.x;
    int first_mine = blockIdx.x * POINTS * BLOCK + tid;

    float3 mine[POINTS];
    Nearest nearest[POINTS];
    for (int p = 0; p < POINTS; ++p) {
        int i = first_mine + p * BLOCK;
        mine[p] = i < n ? points[i] : make_float3(0, 0, 0);
        for (int k = 0; k < NEIGHBORS; ++k) {
            nearest[p].distance[k] = INFINITY;
            nearest[p].index[k] = -1;
        }
    }

    for (int first = 0; first < n; first += BLOCK) {
        int count = min(BLOCK, n - first);
        if (tid < count)
            tile[tid] = points[first + tid];
        __syncthreads();

        // All lanes read the same point, once for all of their own points.
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float3 other = tile[j];
            for (int p = 0; p < POINTS; ++p)
                if (first + j != first_mine + p * BLOCK)
                    look_at(nearest[p], squared_distance(mine[p], other), first + j);
        }
        __syncthreads();
    }

    // The four indices of a point are 16 bytes, which one store writes.
    for (int p = 0; p < POINTS; ++p) {
        int i = first_mine + p * BLOCK;
        if (i < n)
            reinterpret_cast<int4*>(neighbors)[i] =
                make_int4(nearest[p].index[0], nearest[p].index[1], nearest[p].index[2], nearest[p].index[3]);
    }
}
// INSTEAD
// |// Finds one neighbor, and reads every point from global memory.
// |__global__ void nearest_kernel(int* neighbors, const float3* points, int n)
// |{
// |    int i = blockIdx.x * BLOCK + threadIdx.x;
// |    if (i >= n)
// |        return;
// |    float3 mine = points[i];
// |    float nearest = INFINITY;
// |    int index = -1;
// |#pragma unroll 1
// |    for (int j = 0; j < n; ++j) {
// |        float distance = squared_distance(mine, points[j]);
// |        if (j != i && distance < nearest) {
// |            nearest = distance;
// |            index = j;
// |        }
// |    }
// |    neighbors[NEIGHBORS * i] = index;
// |    for (int k = 1; k < NEIGHBORS; ++k)
// |        neighbors[NEIGHBORS * i + k] = -1;
// |}
// END SOLUTION

// Writes the indices of the neighbors of point i to neighbors[4 * i] to neighbors[4 * i + 3], -1 where there are no more
// points. Device memory; n is at least 1.
void nearest_four(int* neighbors, const float3* points, int n)
{
    // BEGIN SOLUTION
    nearest_kernel<<<(n - 1) / (POINTS * BLOCK) + 1, BLOCK>>>(neighbors, points, n);
    // INSTEAD
    // |    nearest_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(neighbors, points, n);
    // END SOLUTION
}
