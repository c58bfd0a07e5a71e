// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What does it cost to read rows and write columns?
//
// A transpose moves as many bytes as a copy. Written the obvious way, one access runs down a
// column, and each lane of a warp then touches a sector of its own. Either of the two can suffer.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int NARROW_TILE = 16, TALL_TILE = 64;  // columns and rows
constexpr int BLOCK_COLUMNS = 4;
// [/constants]

// [transpose_naive_row_read]
__global__ void transpose_naive_row_read(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: neighboring lanes read neighboring elements of a row.
    // Bad: they write elements of a column, height floats apart.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[x * height + (y + j)] = input[(y + j) * width + x];
}
// [/transpose_naive_row_read]

// [transpose_naive_column_read]
__global__ void transpose_naive_column_read(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Bad: neighboring lanes read elements of a column, width floats apart.
    // Good: they write neighboring elements of a row.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = input[x * width + (y + j)];
}
// [/transpose_naive_column_read]

// [transpose_naive_tall_block]
__global__ void transpose_naive_tall_block(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * NARROW_TILE + threadIdx.x;
    int y = blockIdx.y * TALL_TILE + threadIdx.y;

    // A warp is 4 columns of 8 rows. The L1 merges what its loads leave of a sector.
    // Good: it writes 8 neighboring elements in each of 4 rows, which are whole sectors.
    for (int i = 0; i < NARROW_TILE; i += BLOCK_COLUMNS)
        if (x + i < width && y < height)
            output[(x + i) * height + y] = input[y * width + (x + i)];
}
// [/transpose_naive_tall_block]

// [launch]
// x and y count the columns and rows of the matrix that is accessed by row: the input of the first
// kernel, the output of the second.
dim3 grid_of(int columns, int rows)
{
    return dim3((columns + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);

dim3 grid_of_tall_blocks(int columns, int rows)
{
    return dim3((columns + NARROW_TILE - 1) / NARROW_TILE, (rows + TALL_TILE - 1) / TALL_TILE);
}

const dim3 tall_block(BLOCK_COLUMNS, TALL_TILE);
// [/launch]

// [entry]
using namespace conflict_free;

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("naive", "What does it cost to read rows and write columns?");
    chapter.sizes({{2048, 2048}, {4096, 1024}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(TALL_TILE);

    chapter.add({.name = "transpose_naive_row_read",
        .launch =
            [](const Matrices<float>& m) {
                transpose_naive_row_read<<<grid_of(m.width, m.height), block>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 32}});

    chapter.add({.name = "transpose_naive_column_read",
        .launch =
            [](const Matrices<float>& m) {
                transpose_naive_column_read<<<grid_of(m.height, m.width), block>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 32, global_store.sectors_per_request == 4}});

    chapter.add({.name = "transpose_naive_tall_block",
        .launch =
            [](const Matrices<float>& m) {
                transpose_naive_tall_block<<<grid_of_tall_blocks(m.width, m.height), tall_block>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 8, global_store.sectors_per_request == 4}});

    return chapter.run(argc, argv);
}
// [/entry]
