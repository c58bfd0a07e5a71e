// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Can both sides of a transpose be coalesced?
//
// A block reads a tile by rows, keeps it in shared memory, and writes it by rows of the output. The
// column is read in shared memory, where neighbors may lie apart. That has a price of its own.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
// [/constants]

// [transpose_coalesced]
__global__ void transpose_coalesced(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

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
    // Bad: they read a column of the tile, all of it in one bank.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_coalesced]

// [launch]
dim3 grid_of(int width, int height)
{
    return dim3((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
// [/launch]

// [entry]
using namespace conflict_free;

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("coalesced", "Can both sides of a transpose be coalesced?");
    chapter.sizes({{2048, 2048}, {4096, 1024}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);

    chapter.add({.name = "transpose_coalesced",
        .launch =
            [](const Matrices<float>& m) {
                transpose_coalesced<<<grid_of(m.width, m.height), block>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            shared_store.conflicts == 0, shared_load.wavefronts_per_instruction == 32,
            // Half-warps, and 16 banks: twice 16 wavefronts.
            on("gt200", global_load.sectors_over_ideal == 1),
            on("gt200", global_store.sectors_over_ideal == 1),
            on("gt200", shared_load.wavefronts_per_instruction == 32)}});

    return chapter.run(argc, argv);
}
// [/entry]
