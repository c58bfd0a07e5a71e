// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Points, their distances, and a thread's record of the nearest one.
#pragma once

// [distance_of]
// Rounded in one way wherever it is computed: fmaf() leaves the
// compiler no choice.
__host__ __device__ float distance_of(float3 a, float4 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return fmaf(dz, dz, fmaf(dy, dy, dx * dx));
}
// [/distance_of]

// [far_or_point]
// Behind the end, points are infinitely far away. So all tiles are
// whole, and no loop asks where the points end.
__device__ float4 far_or_point(const float3* points, int j, int n)
{
    if (j >= n)
        return make_float4(INFINITY, INFINITY, INFINITY, 0);
    float3 point = points[j];
    return make_float4(point.x, point.y, point.z, 0);
}
// [/far_or_point]

// [load_queries]
// A lane's neighbors have the points beside its own, so that a warp
// reads whole sectors. Behind the end, any point will do.
template <int THREADS, int QUERIES>
__device__ void load_queries(float3 (&mine)[QUERIES], const float3* points, int i, int n)
{
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        mine[q] = i + q * THREADS < n ? points[i + q * THREADS] : make_float3(0, 0, 0);
}
// [/load_queries]

// [Nearest]
struct Nearest {
    float distance = INFINITY;
    int index = -1;
};
// [/Nearest]

// [NearestTile]
// The shortest distance, and the first point of the tile that has it.
struct NearestTile {
    float distance = INFINITY;
    int first = -1;
};
// [/NearestTile]

// [Least]
// The shortest distances to the points of one tile.
template <int QUERIES>
struct Least {
    float of[QUERIES];

    __device__ Least()
    {
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            of[q] = INFINITY;
    }
};

// Of equal distances the first tile stays.
template <int QUERIES>
__device__ void note_tile(NearestTile (&nearest)[QUERIES], const Least<QUERIES>& least, int first)
{
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (least.of[q] < nearest[q].distance)
            nearest[q] = {least.of[q], first};
}
// [/Least]

// [look_at_own]
// Looks at a tile that holds queries of this block. The first query of
// this thread would stand at `own` in it.
template <int THREADS, int TILE, int QUERIES>
__device__ void look_at_own(
    NearestTile (&nearest)[QUERIES], const float3 (&mine)[QUERIES], const float4* tile, int first, int own)
{
    Least<QUERIES> least;
#pragma unroll 4
    for (int j = 0; j < TILE; ++j) {
        float4 other = tile[j];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            if (j != own + q * THREADS)
                least.of[q] = fminf(least.of[q], distance_of(mine[q], other));
    }
    note_tile(nearest, least, first);
}
// [/look_at_own]

// [look_at_others]
// Looks at a tile of others. Good: one instruction a pair beside the
// distance. No index, and nobody asks whose point it is.
template <int TILE, int QUERIES>
__device__ void look_at_others(
    NearestTile (&nearest)[QUERIES], const float3 (&mine)[QUERIES], const float4* tile, int first)
{
    Least<QUERIES> least;
#pragma unroll 4
    for (int j = 0; j < TILE; ++j) {
        float4 other = tile[j];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            least.of[q] = fminf(least.of[q], distance_of(mine[q], other));
    }
    note_tile(nearest, least, first);
}
// [/look_at_others]

// [least_of_three]
// The bits of floats that are not negative are in the order of the
// floats, and of three integers the GPU has the least at once.
__device__ float least_of_three(float a, float b, float c)
{
    return __int_as_float(__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
}
// [/least_of_three]

// [look_by_three]
// Looks at a tile of others. Good: half an instruction a pair beside
// the distance. The loop turns after `STEPS` times two points.
template <int TILE, int STEPS, int QUERIES>
__device__ void look_by_three(
    NearestTile (&nearest)[QUERIES], const float3 (&mine)[QUERIES], const float4* tile, int first)
{
    Least<QUERIES> least;
#pragma unroll(STEPS)
    for (int j = 0; j < TILE; j += 2) {
        float4 one = tile[j], other = tile[j + 1];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            least.of[q] =
                least_of_three(least.of[q], distance_of(mine[q], one), distance_of(mine[q], other));
    }
    note_tile(nearest, least, first);
}
// [/look_by_three]

// [index_in]
// Looks once more at one tile, for the lowest index at the distance.
__device__ int index_in(const float3* points, int n, float3 mine, int i, NearestTile nearest, int tile)
{
    if (nearest.first < 0)
        return -1;
    for (int j = nearest.first; j < min(nearest.first + tile, n); ++j)
        if (j != i && distance_of(mine, far_or_point(points, j, n)) == nearest.distance)
            return j;
    return -1;
}
// [/index_in]

// [write_indices]
template <int THREADS, int TILE, int QUERIES>
__device__ void write_indices(int* output, const float3* points, int n, const float3 (&mine)[QUERIES],
    int i, const NearestTile (&nearest)[QUERIES])
{
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * THREADS < n)
            output[i + q * THREADS] = index_in(points, n, mine[q], i + q * THREADS, nearest[q], TILE);
}
// [/write_indices]
