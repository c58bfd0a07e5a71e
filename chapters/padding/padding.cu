// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How many columns of padding does a tile need?
//
// A column of a tile that is 32 words wide lies in one bank. One more word in each row moves the
// next on by a bank. Other tiles need other paddings, as do GPUs with other numbers of banks.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include "constants.cuh"
#include "other_tiles.cuh"

// [transpose_padded]
__global__ void transpose_padded(float* output, const float* input, int width, int height)
{
    // The unused column moves the beginning of each row on by a bank.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: neighboring lanes read neighboring elements of a row.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each lane in another bank.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_padded]

// [launch]
dim3 grid_of(int width, int height, int columns, int rows)
{
    return dim3((width + columns - 1) / columns, (height + rows - 1) / rows);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
const dim3 small_block(SMALL_DIM, SMALL_DIM);
const dim3 rectangular_block(COLUMNS, ROWS);
// [/launch]

// [entry]
using namespace conflict_free;

using Transpose = void (*)(float*, const float*, int, int);

// Launches a transpose with tiles of `columns` by `rows`.
auto tiled(Transpose kernel, int columns, int rows, dim3 block)
{
    return [=](const Matrices<float>& m) {
        kernel<<<grid_of(m.width, m.height, columns, rows), block>>>(m.output, m.input, m.width, m.height);
    };
}

auto small(Transpose kernel) { return tiled(kernel, SMALL_DIM, SMALL_DIM, small_block); }
auto rectangular(Transpose kernel) { return tiled(kernel, COLUMNS, ROWS, rectangular_block); }

// Wavefronts that an access of a warp to the tile takes, on 32 banks and on the 16 of a gt200. That
// one serves half a warp at a time, so there the ideal is 2.
std::vector<Expectation> wavefronts(int load, int store, int load_on_16_banks, int store_on_16_banks)
{
    return {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
        shared_load.wavefronts_per_instruction == load, shared_store.wavefronts_per_instruction == store,
        on("gt200", shared_load.wavefronts_per_instruction == load_on_16_banks),
        on("gt200", shared_store.wavefronts_per_instruction == store_on_16_banks)};
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("padding", "How many columns of padding does a tile need?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);
    chapter.rows_of_smallest_tile(ROWS);

    chapter.add({.name = "transpose_padded",
        .launch = tiled(transpose_padded, TILE_DIM, TILE_DIM, block),
        .expected = transposed<float>,
        .expect = wavefronts(1, 1, 2, 2)});

    chapter.add({.name = "transpose_tile_16",
        .launch = small(transpose_tile_16),
        .expected = transposed<float>,
        .expect = wavefronts(8, 1, 32, 2)});
    chapter.add({.name = "transpose_tile_16_padded_1",
        .launch = small(transpose_tile_16_padded_1),
        .expected = transposed<float>,
        .expect = wavefronts(2, 2, 2, 2)});
    chapter.add({.name = "transpose_tile_16_padded_2",
        .launch = small(transpose_tile_16_padded_2),
        .expected = transposed<float>,
        .expect = wavefronts(1, 2, 4, 2)});

    chapter.add({.name = "transpose_rectangular",
        .launch = rectangular(transpose_rectangular),
        .expected = transposed<float>,
        .expect = wavefronts(16, 1, 32, 2)});
    chapter.add({.name = "transpose_rectangular_padded_1",
        .launch = rectangular(transpose_rectangular_padded_1),
        .expected = transposed<float>,
        .expect = wavefronts(2, 1, 2, 2)});
    chapter.add({.name = "transpose_rectangular_padded_2",
        .launch = rectangular(transpose_rectangular_padded_2),
        .expected = transposed<float>,
        .expect = wavefronts(1, 1, 4, 2)});

    return chapter.run(argc, argv);
}
// [/entry]
