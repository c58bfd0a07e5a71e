// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The points split over a second dimension of the grid.
#pragma once

// [words]
// The most points that are split.
constexpr int MOST_SPLIT = 1 << 20;
// Of each query the nearest point so far, 0 between launches.
__device__ unsigned long long words[MOST_SPLIT];
// Of each query block, the blocks that are done.
__device__ unsigned tickets[MOST_SPLIT / BLOCK];

// The nearer a point, the greater its word; of points equally near,
// that of the lowest index is the greatest.
__device__ unsigned long long word_of(float distance, int index)
{
    return ~(
        static_cast<unsigned long long>(__float_as_uint(distance)) << 32 | static_cast<unsigned>(index));
}

__device__ NearestTile nearest_of(unsigned long long word)
{
    return {__uint_as_float(static_cast<unsigned>(~word >> 32)), ~static_cast<int>(word)};
}
// [/words]

// [nearest_split]
// Blocks with one blockIdx.x have the same queries, and blocks with
// one blockIdx.y the same tile. Of FEW points, each block looks for the
// index in its tile. Of many, the last one looks, once for each query.
template <int QUERIES, int THREADS, int TILE, int GROUP, bool FEW>
__global__ void __launch_bounds__(THREADS) nearest_split(int* output, const float3* points, int n)
{
    __shared__ float4 tile[TILE];
    __shared__ bool is_last;
    int tid = threadIdx.x;
    int begin = blockIdx.x * (THREADS * QUERIES), i = begin + tid;
    int from = blockIdx.y * TILE;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
    load_queries<THREADS>(mine, points, i, n);

    for (int j = tid; j < TILE; j += THREADS)
        tile[j] = far_or_point(points, from + j, n);
    __syncthreads();

    nearest_groups<THREADS, GROUP>(nearest, mine, tile, min(n - from, TILE), begin - from);
#pragma unroll
    for (int q = 0; q < QUERIES; ++q) {
        int index = from + (FEW ? index_in_group<GROUP>(tile, mine[q], i - from + q * THREADS, nearest[q])
                                : nearest[q].first);
        if (i + q * THREADS < n && nearest[q].first >= 0)
            atomicMax(&words[i + q * THREADS], word_of(nearest[q].distance, index));
    }

    __syncthreads();
    if (tid == 0) {
        __threadfence();
        is_last = atomicInc(&tickets[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    // The block that comes last takes the words, and leaves 0.
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * THREADS < n) {
            NearestTile found = nearest_of(atomicExch(&words[i + q * THREADS], 0ull));
            output[i + q * THREADS] =
                FEW ? found.first : index_in(points, n, mine[q], i + q * THREADS, found, GROUP);
        }
}
// [/nearest_split]
