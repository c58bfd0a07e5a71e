// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Coalesced accesses are as fast wherever the other blocks store": a copy whose accesses stay the same, while the blocks that
// run together load or store in more and more separate ranges of memory. And a transpose of matrices of many shapes, in two orders
// of blocks.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int threads = 512, loads = 8, chunk_floats = threads * loads, checked_width = 1024;

// [separate_ranges]
// So many ranges, each of so many chunks, lie one behind the other, and behind the last one the next such group begins.
struct Ranges {
    int count, chunks;
};

// The chunk of a block: successive blocks take turns in the ranges of a group, and each range is taken from its beginning.
__host__ __device__ int chunk_of(int block, Ranges ranges)
{
    int group = ranges.count * ranges.chunks, in_group = block % group;
    return block - in_group + in_group % ranges.count * ranges.chunks + in_group / ranges.count;
}

__global__ void separate_ranges(float* output, const float* input, Ranges loaded, Ranges stored)
{
    int from = chunk_of(blockIdx.x, loaded) * chunk_floats + threadIdx.x;
    int to = chunk_of(blockIdx.x, stored) * chunk_floats + threadIdx.x;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[from + i * threads];
    for (int i = 0; i < loads; ++i)
        output[to + i * threads] = values[i];
}
// [/separate_ranges]

// A chunk as a tile, whose rows are its pieces of memory.
template <int ROWS>
struct Tile {
    static constexpr int columns = chunk_floats / ROWS;
    // The first element of a block's tile: successive blocks take the tiles along a row of tiles, or down a column.
    __host__ __device__ static int first(int block, int width, bool down)
    {
        int across = width / columns, high = width / ROWS;
        int column = down ? block / high : block % across, row = down ? block % high : block / across;
        return row * ROWS * width + column * columns;
    }
};

// The same copy with tiles: those down a column lie in as many separate ranges as they have rows of the matrix.
template <int ROWS>
__global__ void tiles_in_two_orders(float* output, const float* input, int width, bool load_down, bool store_down)
{
    int from = Tile<ROWS>::first(blockIdx.x, width, load_down) + threadIdx.y * width + threadIdx.x;
    int to = Tile<ROWS>::first(blockIdx.x, width, store_down) + threadIdx.y * width + threadIdx.x;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[from + i * ROWS / loads * width];
    for (int i = 0; i < loads; ++i)
        output[to + i * ROWS / loads * width] = values[i];
}

// The transpose of the book's page on the order of blocks, for matrices of whole tiles, which need not be square.
constexpr int TILE_DIM = 64;

__global__ void transpose_in_two_orders(float* output, const float* input, int width, int height, bool down)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int left = (down ? blockIdx.y : blockIdx.x) * TILE_DIM, top = (down ? blockIdx.x : blockIdx.y) * TILE_DIM;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[(top + threadIdx.y + i * TILE_DIM / loads) * width + left + threadIdx.x];
    for (int i = 0; i < loads; ++i)
        tile[threadIdx.y + i * TILE_DIM / loads][threadIdx.x] = values[i];
    __syncthreads();
    for (int i = 0; i < loads; ++i)
        output[(left + threadIdx.y + i * TILE_DIM / loads) * height + top + threadIdx.x] =
            tile[threadIdx.x][threadIdx.y + i * TILE_DIM / loads];
}

// The milliseconds of the fastest of some launches with no more than `resident` blocks on a multiprocessor: the most that fit, or
// as many as the shared memory that each asks for and does not use leaves room for.
float best_time(const Matrices& m, int resident, Ranges loaded, Ranges stored, int launches)
{
    constexpr int most_resident = 2048 / threads, multiprocessor_shared = 228 << 10, reserved_shared = 1 << 10;
    int unused_bytes = resident == most_resident ? 0 : multiprocessor_shared / resident - reserved_shared;
    cudaFuncSetAttribute(separate_ranges, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    std::vector<float> times = milliseconds(launches, [&] {
        separate_ranges<<<m.width * m.width / chunk_floats, threads, unused_bytes>>>(m.output, m.input, loaded, stored);
    });
    return *std::min_element(times.begin(), times.end());
}

template <int ROWS>
float best_time_of_tiles(const Matrices& m, bool load_down, bool store_down, int launches)
{
    constexpr int columns = Tile<ROWS>::columns;
    std::vector<float> times = milliseconds(launches, [&] {
        tiles_in_two_orders<ROWS><<<m.width * m.width / chunk_floats, dim3(columns, threads / columns)>>>(
            m.output, m.input, m.width, load_down, store_down);
    });
    return *std::min_element(times.begin(), times.end());
}

float best_time_of_transpose(const Matrices& m, int width, int height, bool down, int launches)
{
    int across = width / TILE_DIM, high = height / TILE_DIM;
    std::vector<float> times = milliseconds(launches, [&] {
        transpose_in_two_orders<<<down ? dim3(high, across) : dim3(across, high), dim3(TILE_DIM, threads / TILE_DIM)>>>(
            m.output, m.input, width, height, down);
    });
    return *std::min_element(times.begin(), times.end());
}

// CUDA allows 65,535 blocks in y, so that a matrix with 64 columns cannot have 2 to the 22nd rows.
void print_speeds_of_transposes(const Matrices& m)
{
    const int shapes[][2] = {
        {16384, 16384}, {65536, 4096}, {4096, 65536}, {262144, 1024}, {1024, 262144}, {512, 524288}, {256, 1048576}, {4000000, 64}, {64, 4000000}};
    for (const auto& shape : shapes)
        for (bool down : {false, true}) {
            float ms = best_time_of_transpose(m, shape[0], shape[1], down, 12);
            std::printf("figure transpose_%dx%d_%s %.5g\n", shape[0], shape[1], down ? "down" : "along",
                2. * sizeof(float) * shape[0] * shape[1] / ms / 1e6);
        }
}

template <int ROWS>
void print_speeds_of_tiles(const Matrices& m)
{
    for (bool load_down : {false, true})
        for (bool store_down : {false, true})
            std::printf("figure tiles_of_%d_rows_loaded_%s_stored_%s %.5g\n", ROWS, load_down ? "down" : "along",
                store_down ? "down" : "along", gigabytes_per_second(m, best_time_of_tiles<ROWS>(m, load_down, store_down, 12)));
}

constexpr Ranges one_range = {1, 1};

// So many ranges that divide the whole array.
Ranges of_whole(const Matrices& m, int count) { return {count, m.width * m.width / chunk_floats / count}; }

// As many ranges at many distances: the ranges of a group lie next to each other.
void print_speeds_by_distance(const Matrices& m)
{
    for (int count : {16, 64, 512})
        for (int chunks = 1; count * chunks <= m.width * m.width / chunk_floats; chunks *= 2) {
            auto print = [&](const char* what, Ranges loaded, Ranges stored) {
                std::printf("figure %s_%d_parts_%d_kib_apart %.5g\n", what, count, chunks * chunk_floats * 4 / 1024,
                    gigabytes_per_second(m, best_time(m, 4, loaded, stored, 12)));
            };
            print("loads", {count, chunks}, one_range);
            print("stores", one_range, {count, chunks});
        }
}

void print_speeds(const Matrices& m)
{
    print_speeds_by_distance(m);
    print_speeds_of_tiles<128>(m);
    print_speeds_of_tiles<64>(m);
    print_speeds_of_tiles<32>(m);
    print_speeds_of_tiles<16>(m);
    print_speeds_of_tiles<8>(m);
    print_speeds_of_transposes(m);
    for (int resident : {1, 2, 4})
        for (int ranges = 1; ranges <= 512; ranges *= 2) {
            auto print = [&](const char* what, Ranges loaded, Ranges stored) {
                std::printf("figure %s_ranges_%d_kib_%d %.5g\n", what, ranges, resident * chunk_floats * 4 / 1024,
                    gigabytes_per_second(m, best_time(m, resident, loaded, stored, 12)));
            };
            Ranges separate = of_whole(m, ranges);
            print("loads", separate, one_range);
            print("stores", one_range, separate);
            print("both", separate, separate);
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

size_t wrong_in_ranges(const Matrices& m, int resident, Ranges loaded, Ranges stored)
{
    auto place = [](Ranges ranges) { return [ranges](int block, int i) { return chunk_of(block, ranges) * chunk_floats + i; }; };
    return wrong_elements(
        m, [&] { best_time(m, resident, loaded, stored, 1); }, place(loaded), place(stored));
}

template <int ROWS>
size_t wrong_in_tiles(const Matrices& m)
{
    constexpr int columns = Tile<ROWS>::columns;
    size_t wrong = 0;
    for (bool down : {false, true}) {
        auto place = [&](bool down) {
            return [&m, down](int block, int i) { return Tile<ROWS>::first(block, m.width, down) + i / columns * m.width + i % columns; };
        };
        wrong += wrong_elements(m, [&] { best_time_of_tiles<ROWS>(m, down, !down, 1); }, place(down), place(!down));
    }
    return wrong;
}

// Transposes the small matrix as one with fewer columns than rows.
size_t wrong_in_transposes(const Matrices& m)
{
    const int width = m.width / 4, height = m.width * 4;
    size_t wrong = 0;
    for (bool down : {false, true})
        wrong += wrong_elements(
            m, [&] { best_time_of_transpose(m, width, height, down, 1); },
            [](int block, int i) { return block * chunk_floats + i; },
            [&](int block, int i) { return (block * chunk_floats + i) % width * height + (block * chunk_floats + i) / width; });
    return wrong;
}

int main()
{
    Matrices m = allocate(), small = with_input(m, checked_width);
    size_t wrong = wrong_in_ranges(small, 1, of_whole(small, 4), of_whole(small, 8)) +
                   wrong_in_ranges(small, 4, {4, 8}, one_range) + wrong_in_tiles<128>(small) +
                   wrong_in_tiles<64>(small) + wrong_in_tiles<32>(small) + wrong_in_tiles<16>(small) + wrong_in_tiles<8>(small) +
                   wrong_in_transposes(small);
    if (!std::isnan(best_time(small, 4, one_range, one_range, 1))) print_speeds(with_input(m, large_width));
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
