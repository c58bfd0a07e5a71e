// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The right neighbors with few wavefronts, but the points lie four words apart in the tile, and are stored word by word.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

__device__ float squared_distance(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

// Points that a thread looks for. Each word read from shared memory serves all of them.
constexpr int POINTS = 2;

struct Nearest {
    float distance[NEIGHBORS];
    int index[NEIGHBORS];
};

// Puts point j in its place, or leaves it out. Points come by rising index: of equal distances the first one stays ahead.
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
    __shared__ float tile[4 * BLOCK];
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
        if (tid < count) {
            float3 point = points[first + tid];
            tile[4 * tid] = point.x;
            tile[4 * tid + 1] = point.y;
            tile[4 * tid + 2] = point.z;
        }
        __syncthreads();

        // All lanes read one point, once for all points of theirs.
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float3 other = make_float3(tile[4 * j], tile[4 * j + 1], tile[4 * j + 2]);
            for (int p = 0; p < POINTS; ++p)
                if (first + j != first_mine + p * BLOCK)
                    look_at(nearest[p], squared_distance(mine[p], other), first + j);
        }
        __syncthreads();
    }

    // The four of a point are 16 bytes: one store writes them.
    for (int p = 0; p < POINTS; ++p) {
        int i = first_mine + p * BLOCK;
        if (i < n)
            reinterpret_cast<int4*>(neighbors)[i] =
                make_int4(nearest[p].index[0], nearest[p].index[1], nearest[p].index[2], nearest[p].index[3]);
    }
}

// Writes the indices of the neighbors of point i to neighbors[4 * i] to neighbors[4 * i + 3], -1 where there are no more
// points. Device memory; n is at least 1.
void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / (POINTS * BLOCK) + 1, BLOCK>>>(neighbors, points, n);
}
