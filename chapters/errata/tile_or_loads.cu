// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "The tile is faster because it loads four elements at once": a transpose that writes columns, one that reads columns, and one
// through a tile, each with one load of a thread in flight and with four.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, LOADS = TILE_DIM / BLOCK_ROWS;

enum class Way { columns_written, columns_read, tile };

// [tile_or_loads]
template <Way way, bool four_in_flight>
__global__ void transpose(float* output, const float* input, int width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    float values[LOADS];
    int none = 0;
    for (int i = 0; i < LOADS; ++i) {
        int row = y + i * BLOCK_ROWS + none;
        values[i] = way == Way::columns_read ? input[x * width + row] : input[row * width + x];
        // No value is negative. The compiler does not know that, so the next address waits for this value.
        if (!four_in_flight) none += values[i] < 0;
    }
    for (int i = 0; i < LOADS; ++i) {
        int row = y + i * BLOCK_ROWS;
        if (way == Way::columns_written) output[x * width + row] = values[i];
        if (way == Way::columns_read) output[row * width + x] = values[i];
        if (way == Way::tile) tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];
    }
    if (way != Way::tile) return;
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x, y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) output[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/tile_or_loads]

// The milliseconds of the fastest of some launches.
template <Way way, bool four_in_flight>
float best_time(const Matrices& m, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        transpose<way, four_in_flight>
            <<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(m.output, m.input, m.width);
    });
    return *std::min_element(times.begin(), times.end());
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <Way way, bool four_in_flight>
size_t measure(const Matrices& m, const char* name)
{
    Matrices small = with_input(m, small_width);
    bool has_time = !std::isnan(best_time<way, four_in_flight>(small, 1));
    size_t wrong = wrong_elements(small, true);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width);
    float ms = best_time<way, four_in_flight>(large, 12);
    std::printf("figure %s_%s_gbps %.5g\n", name, four_in_flight ? "four" : "one", gigabytes_per_second(large, ms));
    return wrong;
}

template <Way way>
size_t measure(const Matrices& m, const char* name)
{
    return measure<way, false>(m, name) + measure<way, true>(m, name);
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<Way::columns_written>(m, "columns_written") + measure<Way::columns_read>(m, "columns_read") +
                   measure<Way::tile>(m, "tile");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
