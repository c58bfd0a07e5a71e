// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A large tile, and in it the group of points that holds the nearest one.
#pragma once

// [nearest_groups]
// Looks at the first `size` points of a tile, a group at a time. The
// first query of the block would stand at `begin` in it.
template <int THREADS, int GROUP, int QUERIES>
__device__ void nearest_groups(
    NearestTile (&nearest)[QUERIES], const float3 (&mine)[QUERIES], const float4* tile, int size, int begin)
{
    int end = begin + THREADS * QUERIES;
    for (int first = 0; first < size; first += GROUP) {
        if (first < end && begin < first + GROUP)
            look_at_own<THREADS, GROUP>(nearest, mine, tile + first, first, begin + threadIdx.x - first);
        else
            look_by_three<GROUP, 8>(nearest, mine, tile + first, first);
    }
}
// [/nearest_groups]

// [index_in_group]
// The group still lies in shared memory. Bad: all lanes begin with the
// first point of theirs, and those are in the same banks. Good: of
// eight lanes each begins with another one.
template <int GROUP>
__device__ int index_in_group(const float4* tile, float3 mine, int own, NearestTile nearest)
{
    int first = max(nearest.first, 0), index = first + GROUP;
    int start = first ^ threadIdx.x % 8;
#pragma unroll 8
    for (int k = 0; k < GROUP; ++k) {
        int j = start ^ k;
        float distance = distance_of(mine, tile[j]);
        if (distance == nearest.distance && j != own)
            index = min(index, j);
    }
    return index;
}
// [/index_in_group]

// [nearest_large_tile]
__global__ void __launch_bounds__(BLOCK) nearest_large_tile(int* output, const float3* points, int n)
{
    __shared__ float4 tile[LARGE_TILE];
    int tid = threadIdx.x;
    int begin = blockIdx.x * (BLOCK * QUERIES), i = begin + tid;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
    int index[QUERIES];
    load_queries<BLOCK>(mine, points, i, n);
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        index[q] = -1;

    for (int from = 0; from < n; from += LARGE_TILE) {
        for (int j = tid; j < LARGE_TILE; j += BLOCK)
            tile[j] = far_or_point(points, from + j, n);
        __syncthreads();

        nearest_groups<BLOCK, GROUP>(nearest, mine, tile, min(n - from, LARGE_TILE), begin - from);
#pragma unroll
        for (int q = 0; q < QUERIES; ++q) {
            int found = from + index_in_group<GROUP>(tile, mine[q], i - from + q * BLOCK, nearest[q]);
            if (nearest[q].first >= 0)
                index[q] = found;
            nearest[q].first = -1;
        }
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * BLOCK < n)
            output[i + q * BLOCK] = index[q];
}
// [/nearest_large_tile]
