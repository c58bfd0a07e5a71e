// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What does a block gain from more than one tile?
//
// A thread that moves one element waits for its load, then at the barrier. With two or four tiles in
// a block, it has two or four loads in flight, and the grid has half or a quarter of the blocks.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int COLUMNS = 32;
constexpr int ROWS = 16;

// Two unused words in each row of the tiles: right for 16 rows, as the chapter before shows.
constexpr int PADDING = 2;
// [/constants]

// [transpose_unrolled_2]
__global__ void transpose_unrolled_2(float* output, const float* input, int width, int height)
{
    constexpr int PITCH = 2 * COLUMNS + PADDING;
    __shared__ float tiles[ROWS * PITCH];

    int x = blockIdx.x * 2 * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;

    // Two loads, and neither waits for the other.
    for (int i = 0; i < 2; i++)
        if (x + i * COLUMNS < width && y < height)
            tiles[threadIdx.y * PITCH + threadIdx.x + i * COLUMNS] = input[y * width + x + i * COLUMNS];

    __syncthreads();

    // In the output each tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * 2 * COLUMNS + row;
    for (int i = 0; i < 2; i++)
        if (x < height && y + i * COLUMNS < width)
            output[(y + i * COLUMNS) * height + x] = tiles[column * PITCH + row + i * COLUMNS];
}
// [/transpose_unrolled_2]

// [transpose_unrolled_4]
__global__ void transpose_unrolled_4(float* output, const float* input, int width, int height)
{
    constexpr int PITCH = 4 * COLUMNS + PADDING;
    __shared__ float tiles[ROWS * PITCH];

    int x = blockIdx.x * 4 * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;

    // Four loads, and none waits for another.
    for (int i = 0; i < 4; i++)
        if (x + i * COLUMNS < width && y < height)
            tiles[threadIdx.y * PITCH + threadIdx.x + i * COLUMNS] = input[y * width + x + i * COLUMNS];

    __syncthreads();

    // In the output each tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * 4 * COLUMNS + row;
    for (int i = 0; i < 4; i++)
        if (x < height && y + i * COLUMNS < width)
            output[(y + i * COLUMNS) * height + x] = tiles[column * PITCH + row + i * COLUMNS];
}
// [/transpose_unrolled_4]

// [launch]
dim3 grid_of(int width, int height, int tiles)
{
    return dim3((width + tiles * COLUMNS - 1) / (tiles * COLUMNS), (height + ROWS - 1) / ROWS);
}

const dim3 block(COLUMNS, ROWS);
// [/launch]

// [entry]
using namespace conflict_free;

template <auto kernel, int tiles>
void launch(const Matrices<float>& m)
{
    kernel<<<grid_of(m.width, m.height, tiles), block>>>(m.output, m.input, m.width, m.height);
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("unroll", "What does a block gain from more than one tile?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(4 * COLUMNS);
    chapter.rows_of_smallest_tile(ROWS);

    chapter.add({.name = "transpose_unrolled_2",
        .launch = launch<transpose_unrolled_2, 2>,
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            global_load.requests_per_block == 32, shared_store.conflicts == 0,
            shared_load.conflicts == 0}});

    chapter.add({.name = "transpose_unrolled_4",
        .launch = launch<transpose_unrolled_4, 4>,
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            global_load.requests_per_block == 64, shared_store.conflicts == 0,
            shared_load.conflicts == 0}});

    return chapter.run(argc, argv);
}
// [/entry]
