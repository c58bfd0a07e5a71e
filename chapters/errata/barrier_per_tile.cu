// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Each tile needs a barrier": a transpose of four tiles a block, with one barrier for all of them, with one for each, and with one
// for all and loads that wait for one another.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int COLUMNS = 32, ROWS = 16, TILES = 4;

enum class Wait { none, at_barriers, for_values };

// [barrier_per_tile]
template <Wait wait>
__global__ void transpose(float* output, const float* input, int width)
{
    constexpr int PITCH = TILES * COLUMNS + 2;
    __shared__ float tiles[ROWS * PITCH];
    int x = blockIdx.x * TILES * COLUMNS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    int none = 0;
    for (int i = 0; i < TILES; ++i) {
        float value = x + i * COLUMNS < width ? input[y * width + x + i * COLUMNS + none] : 0;
        tiles[threadIdx.y * PITCH + threadIdx.x + i * COLUMNS] = value;
        // The next load cannot be issued before this one has arrived and all threads have stored.
        if (wait == Wait::at_barriers) __syncthreads();
        // No value is negative. The compiler does not know that, so the next address waits for this value.
        if (wait == Wait::for_values) none += value < 0;
    }
    if (wait != Wait::at_barriers) __syncthreads();
    int index = threadIdx.y * COLUMNS + threadIdx.x, row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column, y = blockIdx.x * TILES * COLUMNS + row;
    for (int i = 0; i < TILES; ++i)
        if (y + i * COLUMNS < width) output[(y + i * COLUMNS) * width + x] = tiles[column * PITCH + row + i * COLUMNS];
}
// [/barrier_per_tile]

// The milliseconds of the fastest of some launches.
template <Wait wait>
float best_time(const Matrices& m, int launches)
{
    dim3 grid((m.width + TILES * COLUMNS - 1) / (TILES * COLUMNS), m.width / ROWS), block(COLUMNS, ROWS);
    std::vector<float> times =
        milliseconds(launches, [&] { transpose<wait><<<grid, block>>>(m.output, m.input, m.width); });
    return *std::min_element(times.begin(), times.end());
}

template <Wait wait>
size_t measure(const Matrices& m, const char* name)
{
    return check_and_time(m, name, small_width, true, best_time<wait>);
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<Wait::none>(m, "one_barrier") + measure<Wait::at_barriers>(m, "barrier_per_tile") +
                   measure<Wait::for_values>(m, "one_at_a_time");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
