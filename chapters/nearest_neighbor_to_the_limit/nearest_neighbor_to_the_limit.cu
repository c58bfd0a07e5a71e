// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How many pairs of points can be compared in a second?
//
// No more than the instructions of a pair can be issued. The last kernel of nearest_neighbor_blocking spends most of them on
// things that are not the distance. Each step here takes some of those away, until the distance is nearly all that is left.

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/device.hpp>
#include <conflict_free/points.hpp>
#include <conflict_free/verify.hpp>

// [constants]
constexpr int BLOCK = 128;
// Queries of a thread: points whose nearest neighbors it looks for.
constexpr int QUERIES = 8;
// Points of a tile in shared memory.
constexpr int TILE = 128;
// The most parts that the points are split into.
constexpr int MOST_SPLITS = 128;
// The most query blocks whose points are split.
constexpr int MOST_TICKETS = 8192;
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
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        mine[q] = query_at(points, i + q * BLOCK, n);

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
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        mine[q] = query_at(points, i + q * BLOCK, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        float least[QUERIES];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            least[q] = INFINITY;
        if (first < end && begin < first + TILE) {
            // Among the points of the tile are queries of this block.
#pragma unroll 1
            for (int j = 0; j < TILE; ++j) {
                float4 other = tile[j];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    if (first + j != i + q * BLOCK)
                        least[q] = fminf(least[q], distance_of(mine[q], other));
            }
        } else {
            // Good: one instruction a pair beside the distance. No
            // index, and no question whose point it is.
#pragma unroll 4
            for (int j = 0; j < TILE; ++j) {
                float4 other = tile[j];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    least[q] = fminf(least[q], distance_of(mine[q], other));
            }
        }
        // Of equal distances the first tile stays.
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            if (least[q] < nearest[q].distance)
                nearest[q] = {least[q], first};
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * BLOCK < n)
            output[i + q * BLOCK] = index_in(points, n, mine[q], i + q * BLOCK, nearest[q], TILE);
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
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        mine[q] = query_at(points, i + q * BLOCK, n);

    for (int first = 0; first < n; first += TILE) {
        tile[tid] = far_or_point(points, first + tid, n);
        __syncthreads();

        float least[QUERIES];
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            least[q] = INFINITY;
        if (first < end && begin < first + TILE) {
#pragma unroll 1
            for (int j = 0; j < TILE; ++j) {
                float4 other = tile[j];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    if (first + j != i + q * BLOCK)
                        least[q] = fminf(least[q], distance_of(mine[q], other));
            }
        } else {
            // Good: half an instruction a pair beside the distance.
#pragma unroll 2
            for (int j = 0; j < TILE; j += 2) {
                float4 one = tile[j], other = tile[j + 1];
#pragma unroll
                for (int q = 0; q < QUERIES; ++q)
                    least[q] = least_of_three(least[q], distance_of(mine[q], one), distance_of(mine[q], other));
            }
        }
#pragma unroll
        for (int q = 0; q < QUERIES; ++q)
            if (least[q] < nearest[q].distance)
                nearest[q] = {least[q], first};
        __syncthreads();
    }
#pragma unroll
    for (int q = 0; q < QUERIES; ++q)
        if (i + q * BLOCK < n)
            output[i + q * BLOCK] = index_in(points, n, mine[q], i + q * BLOCK, nearest[q], TILE);
}
// [/nearest_three_way]

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

// Points of a part, so that each multiprocessor gets about `blocks`
// blocks, one after the other or at a time.
template <int QUERIES, int THREADS, int TILE>
int split_of(int n, int blocks)
{
    int query_blocks = parts_of(n, THREADS * QUERIES), tiles = parts_of(n, TILE);
    int splits = conflict_free::multiprocessors() * blocks / query_blocks;
    if (query_blocks > MOST_TICKETS)
        splits = 1;
    return parts_of(tiles, std::clamp(splits, 1, std::min(tiles, MOST_SPLITS))) * TILE;
}

template <int QUERIES, int THREADS, int TILE>
void find_split(const Points& arrays, int blocks)
{
    int split = split_of<QUERIES, THREADS, TILE>(arrays.n, blocks);
    dim3 grid(parts_of(arrays.n, THREADS * QUERIES), parts_of(arrays.n, split));
    auto found = reinterpret_cast<unsigned long long*>(arrays.scratch);
    nearest_split<QUERIES, THREADS, TILE><<<grid, THREADS>>>(arrays.output, found, arrays.input, arrays.n, split);
}

// Of few points, all blocks run at once: many small ones, as many as
// a multiprocessor holds. The more points there are, the more queries
// a thread can have, and of many parts none waits long for the last.
constexpr int FEW_POINTS = 16384;
constexpr int MANY_POINTS = 100000;

void find_nearest_split(const Points& arrays)
{
    if (arrays.n == 0)
        return;
    if (arrays.n <= FEW_POINTS)
        find_split<2, 64, 32>(arrays, 24);
    else if (arrays.n <= MANY_POINTS)
        find_split<4, 128, 64>(arrays, 4 * 10);
    else
        find_split<8, 128, 64>(arrays, 12 * 7);
}
// [/launch]

// [entry]
using namespace conflict_free;

/// A word of two integers for each query and part. There are never more parts than this.
std::size_t words_of_parts(std::size_t n) { return 2 * n * MOST_SPLITS; }

/// Every kernel has to find the same indices; they are found once for each input.
std::string nearest_are_right(const ArrayKernels<float3, int>::Written& written)
{
    static std::vector<float3> points;
    static std::vector<int> nearest;
    const bool is_new = points.size() != written.input.size() ||
                        (!points.empty() && std::memcmp(points.data(), written.input.data(), written.input.size_bytes()) != 0);
    if (is_new) {
        points.assign(written.input.begin(), written.input.end());
        nearest = nearest_by_sorting(points, [](float3 a, float3 b) { return distance_of(a, make_float4(b.x, b.y, b.z, 0)); });
    }
    return compare_elements<int>(written.output, [&](std::size_t i) { return nearest[i]; });
}

int main(int argc, char** argv)
{
    ArrayChapter chapter("nearest_neighbor_to_the_limit", "How many pairs of points can be compared in a second?");
    chapter.lengths({2000, 1025, 1000, 129, 128, 127, 33, 3, 2, 1, 0});
    chapter.gpu_lengths({1024, 10000, 16384, 65536, 131072, 262144, 524288});
    chapter.counted_length(2000);
    chapter.work_is("pairs", [](double n) { return n * n; });

    auto& kernels = chapter.arrays<float3, int>([](std::size_t n) { return n; }, words_of_parts);
    kernels.filled_by(random_points).reads_numbers(points_from).accepts(wrong_points);

    kernels.kernel("nearest_registers", find_nearest<nearest_registers>, nearest_are_right)
        .expect(shared_load.wavefronts_per_instruction == 2)
        .expect(shared_load.conflicts == 0)
        .expect(shared_store.conflicts == 0);
    kernels.kernel("nearest_minimum_first", find_nearest<nearest_minimum_first>, nearest_are_right)
        .expect(shared_load.wavefronts_per_instruction == 2)
        .expect(shared_load.conflicts == 0);
    kernels.kernel("nearest_three_way", find_nearest<nearest_three_way>, nearest_are_right)
        .expect(shared_load.wavefronts_per_instruction == 2)
        .expect(shared_load.conflicts == 0);
    kernels.kernel("nearest_split", find_nearest_split, nearest_are_right)
        .expect(shared_load.conflicts == 0)
        .expect(shared_store.conflicts == 0);

    return chapter.run(argc, argv);
}
// [/entry]
