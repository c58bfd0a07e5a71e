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
constexpr int MOST_SPLITS = 64;
// The most query blocks whose points are split.
constexpr int MOST_TICKETS = 8192;
// [/constants]

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
#pragma unroll(16 / QUERIES)
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
            unsigned long long least = word_of({});
            for (int part = 0; part < gridDim.y && i + q * THREADS < n; ++part)
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

// [launch]
using Points = conflict_free::Arrays<float3, int>;

int parts_of(int n, int part) { return n / part + (n % part != 0); }

template <auto kernel>
void find_nearest(const Points& arrays)
{
    if (arrays.n > 0)
        kernel<<<parts_of(arrays.n, BLOCK * QUERIES), BLOCK>>>(arrays.output, arrays.input, arrays.n);
}

// Points of a part, so that there are about `blocks` blocks for each
// multiprocessor.
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
// a multiprocessor holds. Of many, eight times as many as it holds,
// so that none waits long for the last.
constexpr int FEW_POINTS = 32768;

void find_nearest_split(const Points& arrays)
{
    if (arrays.n == 0)
        return;
    if (arrays.n <= FEW_POINTS)
        find_split<2, 64, 32>(arrays, 24);
    else
        find_split<8, 128, 128>(arrays, 8 * 6);
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
