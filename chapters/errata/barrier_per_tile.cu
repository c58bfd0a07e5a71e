// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Each tile needs a barrier": a transpose of four tiles a block, with one barrier for all of them and with one for each.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int COLUMNS = 32, ROWS = 16, TILES = 4;

// [barrier_per_tile]
template <bool barrier_per_tile>
__global__ void transpose(float* output, const float* input, int width)
{
    constexpr int PITCH = TILES * COLUMNS + 2;
    __shared__ float tiles[ROWS * PITCH];
    int x = blockIdx.x * TILES * COLUMNS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    for (int i = 0; i < TILES; ++i) {
        if (x + i * COLUMNS < width) tiles[threadIdx.y * PITCH + threadIdx.x + i * COLUMNS] = input[y * width + x + i * COLUMNS];
        // The next load cannot be issued before this one has arrived and all threads have stored.
        if (barrier_per_tile) __syncthreads();
    }
    if (!barrier_per_tile) __syncthreads();
    int index = threadIdx.y * COLUMNS + threadIdx.x, row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column, y = blockIdx.x * TILES * COLUMNS + row;
    for (int i = 0; i < TILES; ++i)
        if (y + i * COLUMNS < width) output[(y + i * COLUMNS) * width + x] = tiles[column * PITCH + row + i * COLUMNS];
}
// [/barrier_per_tile]

// The milliseconds of the fastest of some launches.
template <bool barrier_per_tile>
float best_time(const Matrices& m, int launches)
{
    dim3 grid((m.width + TILES * COLUMNS - 1) / (TILES * COLUMNS), m.width / ROWS), block(COLUMNS, ROWS);
    std::vector<float> times =
        milliseconds(launches, [&] { transpose<barrier_per_tile><<<grid, block>>>(m.output, m.input, m.width); });
    return *std::min_element(times.begin(), times.end());
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <bool barrier_per_tile>
size_t measure(const Matrices& m, const char* name)
{
    Matrices small = with_input(m, small_width);
    bool has_time = !std::isnan(best_time<barrier_per_tile>(small, 1));
    size_t wrong = wrong_elements(small, true);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width);
    std::printf("figure %s_gbps %.5g\n", name, gigabytes_per_second(large, best_time<barrier_per_tile>(large, 12)));
    return wrong;
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<false>(m, "one_barrier") + measure<true>(m, "barrier_per_tile");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
