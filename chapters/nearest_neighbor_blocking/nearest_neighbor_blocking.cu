// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Who is whose nearest neighbor?
//
// Each of n points is compared with all others. A block can load 128 of them into shared memory once
// for all its threads. Every lane of a warp then reads the same words: is that a bank conflict?

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/points.hpp>
#include <conflict_free/verify.hpp>

// [constants]
constexpr int BLOCK = 128;
// [/constants]

// [look_at]
struct Nearest {
    float distance = INFINITY;
    int index = -1;
};

// Of equal distances the first one stays: the lowest index.
template <class Point>
__host__ __device__ void look_at(Nearest& nearest, float3 mine, int i, Point other, int j)
{
    float dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
    float distance = dx * dx + dy * dy + dz * dz;
    if (j != i && distance < nearest.distance) {
        nearest.distance = distance;
        nearest.index = j;
    }
}
// [/look_at]

// [nearest_global]
__global__ void nearest_global(int* output, const float3* points, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float3 mine = points[i];
    Nearest nearest;

    // Every thread reads every point from global memory.
#pragma unroll 1
    for (int j = 0; j < n; ++j) {
        float3 other = points[j];
        look_at(nearest, mine, i, other, j);
    }
    output[i] = nearest.index;
}
// [/nearest_global]

// [nearest_blocked_float3]
__global__ void nearest_blocked_float3(int* output, const float3* points, int n)
{
    __shared__ float3 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float3 mine = i < n ? points[i] : make_float3(0, 0, 0);
    Nearest nearest;

    for (int first = 0; first < n; first += BLOCK) {
        // The last tile may be cut. Behind its end are points of the
        // tile before it.
        int count = min(BLOCK, n - first);
        if (threadIdx.x < count)
            tile[threadIdx.x] = points[first + threadIdx.x];
        __syncthreads();

        // All lanes read the same words, so each is delivered once.
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float3 other = tile[j];
            look_at(nearest, mine, i, other, first + j);
        }
        __syncthreads();
    }
    if (i < n)
        output[i] = nearest.index;
}
// [/nearest_blocked_float3]

// [nearest_blocked_float4]
__global__ void nearest_blocked_float4(int* output, const float3* points, int n)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float3 mine = i < n ? points[i] : make_float3(0, 0, 0);
    Nearest nearest;

    for (int first = 0; first < n; first += BLOCK) {
        int count = min(BLOCK, n - first);
        if (threadIdx.x < count) {
            // A point of 16 bytes is read by one instruction.
            float3 point = points[first + threadIdx.x];
            tile[threadIdx.x] = make_float4(point.x, point.y, point.z, 0);
        }
        __syncthreads();

#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float4 other = tile[j];
            look_at(nearest, mine, i, other, first + j);
        }
        __syncthreads();
    }
    if (i < n)
        output[i] = nearest.index;
}
// [/nearest_blocked_float4]

// [launch]
template <auto kernel>
void find_nearest(const conflict_free::Arrays<float3, int>& arrays)
{
    if (arrays.n > 0)
        kernel<<<(arrays.n - 1) / BLOCK + 1, BLOCK>>>(arrays.output, arrays.input, arrays.n);
}
// [/launch]

// [cpu_plain]
// One core, built without optimization whatever the rest is built with.
[[gnu::optimize("O0")]] void cpu_plain(std::span<const float3> points, std::span<int> output)
{
    const float3* p = points.data();
    int n = points.size();
    for (int i = 0; i < n; ++i) {
        float best = INFINITY;
        int index = -1;
        for (int j = 0; j < n; ++j) {
            float dx = p[i].x - p[j].x, dy = p[i].y - p[j].y, dz = p[i].z - p[j].z;
            float distance = dx * dx + dy * dy + dz * dz;
            if (j != i && distance < best) {
                best = distance;
                index = j;
            }
        }
        output[i] = index;
    }
}
// [/cpu_plain]

// [cpu_optimized]
void cpu_some(std::span<const float3> points, std::span<int> output, int begin, int end)
{
    int n = points.size();
    for (int i = begin; i < end; ++i) {
        float3 mine = points[i];
        Nearest nearest;
        for (int j = 0; j < n; ++j)
            look_at(nearest, mine, i, points[j], j);
        output[i] = nearest.index;
    }
}

void cpu_one_core(std::span<const float3> points, std::span<int> output)
{
    cpu_some(points, output, 0, points.size());
}

void cpu_all_cores(std::span<const float3> points, std::span<int> output)
{
    auto part = [=](int begin, int end) { cpu_some(points, output, begin, end); };
    conflict_free::parallel_for(points.size(), part, 1);
}
// [/cpu_optimized]

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
        nearest = nearest_by_sorting(points);
    }
    return compare_elements<int>(written.output, [&](std::size_t i) { return nearest[i]; });
}

int main(int argc, char** argv)
{
    ArrayChapter chapter("nearest_neighbor_blocking", "Who is whose nearest neighbor?");
    chapter.lengths({2000, 1000, 129, 128, 127, 3, 2, 1, 0});
    chapter.gpu_lengths({1024, 10000, 16384, 65536, 131072, 262144, 524288});
    chapter.counted_length(2000);
    chapter.work_is("pairs", [](double n) { return n * n; });

    auto& kernels = chapter.arrays<float3, int>([](std::size_t n) { return n; });
    kernels.filled_by(random_points).reads_numbers(points_from).accepts(wrong_points);

    kernels.add_baseline(
        {.name = "cpu_plain", .compute = cpu_plain, .verify = nearest_are_right, .sizes = at_most(10000)});
    kernels.add_baseline({.name = "cpu_one_core",
        .compute = cpu_one_core,
        .verify = nearest_are_right,
        .sizes = at_most(10000)});
    kernels.add_baseline({.name = "cpu_all_cores",
        .compute = cpu_all_cores,
        .verify = nearest_are_right,
        .sizes = at_most(10000)});
    kernels.add({.name = "nearest_global",
        .launch = find_nearest<nearest_global>,
        .verify = nearest_are_right,
        .expect = {global_load.sectors_per_request <= 1.5}});
    kernels.add({.name = "nearest_blocked_float3",
        .launch = find_nearest<nearest_blocked_float3>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 1, shared_load.conflicts == 0,
            shared_store.conflicts == 0}});
    kernels.add({.name = "nearest_blocked_float4",
        .launch = find_nearest<nearest_blocked_float4>,
        .verify = nearest_are_right,
        .expect = {shared_load.wavefronts_per_instruction == 2, shared_load.conflicts == 0,
            shared_store.conflicts == 0}});

    return chapter.run(argc, argv);
}
// [/entry]
