// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A barrier is one instruction, and costs as much": transposes through a tile whose barrier has 4 to 32 warps, and the same
// without a barrier, whose warps race.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int TILE_DIM = 32;

// [wait_at_a_barrier]
template <int UNUSED, int BLOCK_ROWS, bool barrier>
__global__ void transpose(float* output, const float* input, int width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + UNUSED];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];
    if (barrier) __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x, y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) output[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/wait_at_a_barrier]

// The milliseconds of the fastest of some launches.
template <int UNUSED, int BLOCK_ROWS, bool barrier>
float best_time(const Matrices& m, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        transpose<UNUSED, BLOCK_ROWS, barrier>
            <<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(m.output, m.input, m.width);
    });
    return *std::min_element(times.begin(), times.end());
}

// Prints the speed of a kernel with a barrier and without one. Returns the number of wrong elements of the one with a barrier: those of
// the other depend on the moment.
template <int UNUSED, int BLOCK_ROWS>
size_t measure(const Matrices& m)
{
    char name[64];
    std::snprintf(name, sizeof name, "unused_%d_warps_%d", UNUSED, BLOCK_ROWS);
    size_t wrong = check_and_time(m, name, small_width, true, best_time<UNUSED, BLOCK_ROWS, true>);
    std::snprintf(name, sizeof name, "unused_%d_warps_%d_without", UNUSED, BLOCK_ROWS);
    check_and_time(m, name, small_width, true, best_time<UNUSED, BLOCK_ROWS, false>);
    return wrong;
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<0, 4>(m) + measure<0, 8>(m) + measure<0, 16>(m) + measure<0, 32>(m) + measure<1, 4>(m) + measure<1, 8>(m) +
                   measure<1, 16>(m) + measure<1, 32>(m);
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
