// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Global memory has no banks": transposes without shared memory whose rows end with a few unused floats.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

// [pitch_of_a_matrix]
template <bool columns_read>
__global__ void transpose(float* output, const float* input, int pitch)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        int row = (y + j) * pitch + x, column = x * pitch + y + j;
        output[columns_read ? row : column] = input[columns_read ? column : row];
    }
}
// [/pitch_of_a_matrix]

constexpr int most_unused = 32;

// The milliseconds of the fastest of some launches.
template <bool columns_read>
float best_time(const Matrices& m, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        transpose<columns_read>
            <<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(m.output, m.input, m.pitch);
    });
    return *std::min_element(times.begin(), times.end());
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <bool columns_read>
size_t measure(const Matrices& m, int unused)
{
    Matrices small = with_input(m, small_width, unused);
    bool has_time = !std::isnan(best_time<columns_read>(small, 1));
    size_t wrong = wrong_elements(small, true);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width, unused);
    float ms = best_time<columns_read>(large, 12);
    std::printf("figure columns_%s_unused_%d_gbps %.5g\n", columns_read ? "read" : "written", unused, gigabytes_per_second(large, ms));
    return wrong;
}

int main()
{
    Matrices m = allocate(most_unused);
    size_t wrong = 0;
    for (int unused : {0, 1, 2, 4, 8, 16, most_unused}) wrong += measure<true>(m, unused) + measure<false>(m, unused);
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
