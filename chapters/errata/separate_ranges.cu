// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Coalesced accesses are as fast wherever the other blocks store": a copy whose accesses stay the same, while the blocks that
// run together load or store in more and more separate ranges of memory.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int threads = 512, loads = 8, chunk_floats = threads * loads, TILE_DIM = 64;

// [separate_ranges]
// The chunk of a block: successive blocks take turns in `ranges` equal parts of the array, and each part is taken from its beginning.
__host__ __device__ int chunk_of(int block, int blocks, int ranges) { return block % ranges * (blocks / ranges) + block / ranges; }

__global__ void separate_ranges(float* output, const float* input, int load_ranges, int store_ranges)
{
    int from = chunk_of(blockIdx.x, gridDim.x, load_ranges) * chunk_floats + threadIdx.x;
    int to = chunk_of(blockIdx.x, gridDim.x, store_ranges) * chunk_floats + threadIdx.x;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[from + i * threads];
    for (int i = 0; i < loads; ++i)
        output[to + i * threads] = values[i];
}
// [/separate_ranges]

// The first element of a block's tile of 64 x 64 floats: successive blocks take the tiles along a row of tiles, or down a column.
__host__ __device__ int first_of(int block, int width, bool down)
{
    int tiles = width / TILE_DIM, beside = block % tiles, after = block / tiles;
    return ((down ? beside : after) * width + (down ? after : beside)) * TILE_DIM;
}

// The same copy with pieces of 512 bytes, the rows of a tile: tiles down a column lie in as many separate ranges as a column has rows.
__global__ void tiles_in_two_orders(float* output, const float* input, int width, bool load_down, bool store_down)
{
    int from = first_of(blockIdx.x, width, load_down) + threadIdx.y * width + threadIdx.x;
    int to = first_of(blockIdx.x, width, store_down) + threadIdx.y * width + threadIdx.x;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[from + i * TILE_DIM / loads * width];
    for (int i = 0; i < loads; ++i)
        output[to + i * TILE_DIM / loads * width] = values[i];
}

// The milliseconds of the fastest of some launches with no more than `resident` blocks on a multiprocessor: the most that fit, or
// as many as the shared memory that each asks for and does not use leaves room for.
float best_time(const Matrices& m, int resident, int load_ranges, int store_ranges, int launches)
{
    constexpr int most_resident = 2048 / threads, multiprocessor_shared = 228 << 10, reserved_shared = 1 << 10;
    int unused_bytes = resident == most_resident ? 0 : multiprocessor_shared / resident - reserved_shared;
    cudaFuncSetAttribute(separate_ranges, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    std::vector<float> times = milliseconds(launches, [&] {
        separate_ranges<<<m.width * m.width / chunk_floats, threads, unused_bytes>>>(
            m.output, m.input, load_ranges, store_ranges);
    });
    return *std::min_element(times.begin(), times.end());
}

float best_time_of_tiles(const Matrices& m, bool load_down, bool store_down, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        tiles_in_two_orders<<<m.width * m.width / chunk_floats, dim3(TILE_DIM, threads / TILE_DIM)>>>(
            m.output, m.input, m.width, load_down, store_down);
    });
    return *std::min_element(times.begin(), times.end());
}

void print_speeds(const Matrices& m)
{
    for (bool load_down : {false, true})
        for (bool store_down : {false, true})
            std::printf("figure tiles_loaded_%s_stored_%s %.5g\n", load_down ? "down" : "along", store_down ? "down" : "along",
                gigabytes_per_second(m, best_time_of_tiles(m, load_down, store_down, 12)));
    for (int resident : {1, 2, 4})
        for (int ranges = 1; ranges <= 512; ranges *= 2) {
            auto print = [&](const char* what, int load_ranges, int store_ranges) {
                std::printf("figure %s_ranges_%d_kib_%d %.5g\n", what, ranges, resident * chunk_floats * 4 / 1024,
                    gigabytes_per_second(m, best_time(m, resident, load_ranges, store_ranges, 12)));
            };
            print("loads", ranges, 1);
            print("stores", 1, ranges);
            print("both", ranges, ranges);
        }
}

// Runs a copy of small arrays and returns the number of wrong elements. `from` and `to` say where element i of a block lies.
template <class Run, class From, class To>
size_t wrong_elements(const Matrices& m, Run run, From from, To to)
{
    int count = m.width * m.width;
    std::vector<float> input(count), output(count);
    cudaMemset(m.output, 0xFF, count * sizeof(float));
    run();
    cudaMemcpy(input.data(), m.input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), m.output, count * sizeof(float), cudaMemcpyDeviceToHost);
    size_t wrong = 0;
    for (int i = 0; i < count; ++i)
        wrong += output[to(i / chunk_floats, i % chunk_floats)] != input[from(i / chunk_floats, i % chunk_floats)];
    return wrong;
}

size_t wrong_in_ranges(const Matrices& m, int resident, int load_ranges, int store_ranges)
{
    auto place = [&](int ranges) {
        return [&m, ranges](int block, int i) { return chunk_of(block, m.width * m.width / chunk_floats, ranges) * chunk_floats + i; };
    };
    return wrong_elements(
        m, [&] { best_time(m, resident, load_ranges, store_ranges, 1); }, place(load_ranges), place(store_ranges));
}

size_t wrong_in_tiles(const Matrices& m, bool load_down, bool store_down)
{
    auto place = [&](bool down) {
        return [&m, down](int block, int i) { return first_of(block, m.width, down) + i / TILE_DIM * m.width + i % TILE_DIM; };
    };
    return wrong_elements(m, [&] { best_time_of_tiles(m, load_down, store_down, 1); }, place(load_down), place(store_down));
}

int main()
{
    Matrices m = allocate(), small = with_input(m, small_width);
    size_t wrong = wrong_in_ranges(small, 1, 3, 9) + wrong_in_ranges(small, 4, 9, 1) + wrong_in_tiles(small, true, false) +
                   wrong_in_tiles(small, false, true);
    if (!std::isnan(best_time(small, 4, 1, 1, 1))) print_speeds(with_input(m, large_width));
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
