// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Points, their distances, and what a thread remembers of the nearest one.
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

// [query_at]
__device__ float3 query_at(const float3* points, int i, int n)
{
    return i < n ? points[i] : make_float3(0, 0, 0);
}
// [/query_at]

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

// [least_of_three]
// The bits of floats that are not negative are in the order of the
// floats, and of three integers the GPU has the least at once.
__device__ float least_of_three(float a, float b, float c)
{
    return __int_as_float(__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
}
// [/least_of_three]

// [word_of]
// A distance and its tile in one word, the distance in the upper
// half: the least word is the shortest distance, and the first tile.
__device__ unsigned long long word_of(NearestTile nearest)
{
    return static_cast<unsigned long long>(__float_as_uint(nearest.distance)) << 32 | static_cast<unsigned>(nearest.first);
}
// [/word_of]
