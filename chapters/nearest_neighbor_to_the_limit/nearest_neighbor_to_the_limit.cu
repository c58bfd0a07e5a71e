// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How many pairs of points can be compared in a second?
//
// No more than its instructions can be issued. nearest_neighbor_blocking ends with most spent on
// other things than the distance. Each step takes some away, until little but the distance is left.

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/device.hpp>
#include <conflict_free/points.hpp>
#include <conflict_free/verify.hpp>

#include <algorithm>
#include <climits>

// [constants]
constexpr int BLOCK = 128;
// Queries of a thread: points whose nearest neighbors it looks for.
constexpr int QUERIES = 8;
// Points of a tile in shared memory.
constexpr int TILE = 128;
// Points of a large tile, nearly all that 48 KB of shared memory hold.
constexpr int LARGE_TILE = 2944;
// Points of a large tile that are looked at before the nearest is noted.
constexpr int GROUP = 32;
// [/constants]

#include "distances.cuh"

// [nearest_registers]
__global__ void nearest_registers(int* output, const float3* points, int n)
{
    __shared__ float4 tile[TILE];
    int tid = threadIdx.x;
    int i = blockIdx.x * (BLOCK * QUERIES) + tid;
    float3 mine[QUERIES];
    Nearest nearest[QUERIES];
    load_queries<BLOCK>(mine, points, i, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        // Good: a point is read once for eight queries of each lane.
#pragma unroll 1
        for (int j = 0; j < TILE; ++j) {
            float4 other = tile[j];
#pragma unroll
            for (int q = 0; q < QUERIES; ++q) {
                float distance = distance_of(mine[q], other);
                if (first + j != i + q * BLOCK && distance < nearest[q].distance) {
                    nearest[q].distance = distance;
                    nearest[q].index = first + j;
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * BLOCK < n)
            output[i + q * BLOCK] = nearest[q].index;
}
// [/nearest_registers]

// [nearest_minimum_first]
__global__ void nearest_minimum_first(int* output, const float3* points, int n)
{
    __shared__ float4 tile[TILE];
    int tid = threadIdx.x;
    int begin = blockIdx.x * (BLOCK * QUERIES), end = begin + BLOCK * QUERIES;
    int i = begin + tid;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
    load_queries<BLOCK>(mine, points, i, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        if (first < end && begin < first + TILE)
            look_at_own<BLOCK, TILE>(nearest, mine, tile, first, i - first);
        else
            look_at_others<TILE>(nearest, mine, tile, first);
        __syncthreads();
    }
    write_indices<BLOCK, TILE>(output, points, n, mine, i, nearest);
}
// [/nearest_minimum_first]

// [nearest_three_way]
__global__ void nearest_three_way(int* output, const float3* points, int n)
{
    __shared__ float4 tile[TILE];
    int tid = threadIdx.x;
    int begin = blockIdx.x * (BLOCK * QUERIES), end = begin + BLOCK * QUERIES;
    int i = begin + tid;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
    load_queries<BLOCK>(mine, points, i, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        if (first < end && begin < first + TILE)
            look_at_own<BLOCK, TILE>(nearest, mine, tile, first, i - first);
        else
            look_by_three<TILE, 2>(nearest, mine, tile, first);
        __syncthreads();
    }
    write_indices<BLOCK, TILE>(output, points, n, mine, i, nearest);
}
// [/nearest_three_way]

// [nearest_unrolled]
__global__ void nearest_unrolled(int* output, const float3* points, int n)
{
    __shared__ float4 tile[TILE];
    int tid = threadIdx.x;
    int begin = blockIdx.x * (BLOCK * QUERIES), end = begin + BLOCK * QUERIES;
    int i = begin + tid;
    float3 mine[QUERIES];
    NearestTile nearest[QUERIES];
    load_queries<BLOCK>(mine, points, i, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        if (first < end && begin < first + TILE)
            look_at_own<BLOCK, TILE>(nearest, mine, tile, first, i - first);
        else
            look_by_three<TILE, 8>(nearest, mine, tile, first);
        __syncthreads();
    }
    write_indices<BLOCK, TILE>(output, points, n, mine, i, nearest);
}
// [/nearest_unrolled]

#include "groups.cuh"
#include "split.cuh"

// [launch]
using Points = conflict_free::Arrays<float3, int>;

int parts_of(int n, int part) { return n / part + (n % part != 0); }

template <auto kernel>
void find_nearest(const Points& arrays)
{
    if (arrays.n > 0)
        kernel<<<parts_of(arrays.n, BLOCK * QUERIES), BLOCK>>>(arrays.output, arrays.input, arrays.n);
}

template <int QUERIES, int THREADS, int TILE, int GROUP, bool FEW = true>
void find_split(const Points& arrays)
{
    if (arrays.n == 0)
        return;
    dim3 grid(parts_of(arrays.n, THREADS * QUERIES), parts_of(arrays.n, TILE));
    nearest_split<QUERIES, THREADS, TILE, GROUP, FEW>
        <<<grid, THREADS>>>(arrays.output, arrays.input, arrays.n);
}

// Of few points, all blocks run at once: many small ones. The more
// points there are, the more of them a block can have, and the less
// of its time goes into what it does once.
struct Shape {
    int most_points;
    void (*find)(const Points&);
};
constexpr Shape shapes[] = {{7000, find_split<2, 128, 64, 16>}, {40000, find_split<4, 64, 512, GROUP>},
    {100000, find_split<8, 128, 1536, GROUP>}, {MOST_SPLIT, find_split<8, 128, 1536, 64, false>},
    {INT_MAX, find_nearest<nearest_large_tile>}};

constexpr const Shape& shape_of(int n)
{
    return *std::ranges::lower_bound(shapes, n, {}, &Shape::most_points);
}

void find_nearest_split(const Points& arrays) { shape_of(arrays.n).find(arrays); }
// [/launch]

// [entry]
using namespace conflict_free;

/// Every kernel has to find the same indices; they are found once for each input.
std::string nearest_are_right(const ArrayKernels<float3, int>::Written& written)
{
    static std::vector<float3> points;
    static std::vector<int> nearest;
    const bool is_new = points.size() != written.input.size() ||
                        (!points.empty() && std::memcmp(points.data(), written.input.data(),
                                                written.input.size_bytes()) != 0);
    if (is_new) {
        points.assign(written.input.begin(), written.input.end());
        nearest = nearest_by_sorting(
            points, [](float3 a, float3 b) { return distance_of(a, make_float4(b.x, b.y, b.z, 0)); });
    }
    return compare_elements<int>(written.output, [&](std::size_t i) { return nearest[i]; });
}

int main(int argc, char** argv)
{
    ArrayChapter chapter(
        "nearest_neighbor_to_the_limit", "How many pairs of points can be compared in a second?");
    chapter.lengths({2000, 1025, 1000, 129, 128, 127, 33, 3, 2, 1, 0});
    chapter.gpu_lengths({1024, 10000, 16384, 65536, 131072, 262144, 524288});
    chapter.counted_length(2000);
    chapter.traffic_lengths({2000, 131072});
    chapter.work_is("pairs", [](double n) { return n * n; });

    auto& kernels = chapter.arrays<float3, int>([](std::size_t n) { return n; });
    kernels.filled_by(random_points).reads_numbers(points_from).accepts(wrong_points);

    kernels.add({.name = "nearest_registers",
        .launch = find_nearest<nearest_registers>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 2, shared_load.conflicts == 0,
            shared_store.conflicts == 0}});
    kernels.add({.name = "nearest_minimum_first",
        .launch = find_nearest<nearest_minimum_first>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 2, shared_load.conflicts == 0}});
    kernels.add({.name = "nearest_three_way",
        .launch = find_nearest<nearest_three_way>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 2, shared_load.conflicts == 0}});
    kernels.add({.name = "nearest_unrolled",
        .launch = find_nearest<nearest_unrolled>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 2, shared_load.conflicts == 0}});
    kernels.add({.name = "nearest_large_tile",
        .launch = find_nearest<nearest_large_tile>,
        .verify = nearest_are_right,
        .expect = {shared_load.conflicts == 0, shared_store.conflicts == 0}});
    kernels.add({.name = "nearest_split",
        .launch = find_nearest_split,
        .verify = nearest_are_right,
        .expect = {shared_load.conflicts == 0, shared_store.conflicts == 0}});

    return chapter.run(argc, argv);
}
// [/entry]
