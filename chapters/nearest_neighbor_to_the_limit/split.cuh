// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The points split over a second dimension of the grid.
#pragma once

// [nearest_split]
// Of each query block, the blocks that have left what they found.
__device__ unsigned tickets[MOST_TICKETS];

// Blocks with one blockIdx.x have the same queries, and each looks
// at its own part of the points: `split` of them, in whole tiles.
template <int QUERIES, int THREADS, int TILE>
__global__ void __launch_bounds__(THREADS)
nearest_split(int* output, unsigned long long* found, const float3* points, int n, int split)
{
    __shared__ float4 tile[2][TILE];
    __shared__ bool is_last;
    int tid = threadIdx.x;
    int begin = blockIdx.x * (THREADS * QUERIES), end = begin + THREADS * QUERIES;
    int i = begin + tid;
    int from = blockIdx.y * split, to = min(n - from, split) + from;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        mine[q] = query_at(points, i + q * THREADS, n);

    // The next tile is on its way while one is looked at, and one
    // barrier a tile is enough.
    for (int j = tid; j < TILE; j += THREADS)
        tile[0][j] = far_or_point(points, from + j, n);
    int now = 0;
    for (int first = from; first < to; first += TILE, now ^= 1) {
        __syncthreads();
        if (first < to - TILE)
            for (int j = tid; j < TILE; j += THREADS)
                tile[now ^ 1][j] = far_or_point(points, first + TILE + j, n);

        float least[QUERIES];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            least[q] = INFINITY;
        if (first < end && begin < first + TILE) {
#pragma unroll 1
            for (int j = 0; j < TILE; ++j) {
                float4 other = tile[now][j];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    if (first + j != i + q * THREADS)
                        least[q] = fminf(least[q], distance_of(mine[q], other));
            }
        } else {
#pragma unroll(64 / QUERIES)
            for (int j = 0; j < TILE; j += 2) {
                float4 one = tile[now][j], other = tile[now][j + 1];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    least[q] = least_of_three(least[q], distance_of(mine[q], one), distance_of(mine[q], other));
            }
        }
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            if (least[q] < nearest[q].distance)
                nearest[q] = {least[q], first};
    }

    if (gridDim.y > 1) {
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            if (i + q * THREADS < n)
                found[static_cast<size_t>(blockIdx.y) * n + i + q * THREADS] = word_of(nearest[q]);
        __syncthreads();
        if (tid == 0) {
            __threadfence();
            is_last = atomicInc(&tickets[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
            __threadfence();
        }
        __syncthreads();
        if (!is_last)
            return;
        // The block that comes last takes the least of each query.
#pragma unroll
        for (int q = 0; q < QUERIES; ++q) {
            if (i + q * THREADS >= n)
                continue;
            unsigned long long least = word_of({});
#pragma unroll 8
            for (int part = 0; part < gridDim.y; ++part)
                least = min(least, found[static_cast<size_t>(part) * n + i + q * THREADS]);
            nearest[q] = {__uint_as_float(static_cast<unsigned>(least >> 32)), static_cast<int>(least)};
        }
    }
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * THREADS < n)
            output[i + q * THREADS] = index_in(points, n, mine[q], i + q * THREADS, nearest[q], TILE);
}
// [/nearest_split]
