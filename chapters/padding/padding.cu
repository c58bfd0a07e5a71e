// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How many columns of padding does a tile need?
//
// A column of a tile that is 32 words wide lies in one bank. One more word in each row moves each row on by a bank.
// Other tiles need another number, the number that was right on old GPUs is wrong on new ones, and there are ways to do
// without.

#include <conflict_free/matrix_chapter.hpp>

#include "constants.cuh"
#include "other_tiles.cuh"
#include "without_padding.cuh"
#include "layouts.cuh"

// [transpose_padded]
__global__ void transpose_padded(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
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
    // Good: they read a column of the tile, each in a bank of its own.
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
const dim3 narrow_block(NARROW_COLUMNS, TILE_DIM);
const dim3 rectangular_block(COLUMNS, ROWS);
const dim3 square_block(TILE_DIM, TILE_DIM);
// [/launch]

// [entry]
using namespace conflict_free;

using Transpose = void (*)(float*, const float*, int, int);
using Layout = void (*)(int*, const int*);

float transposed(const float* input, Size size, std::size_t index)
{
    std::size_t row = index / size.height, column = index % size.height;
    return input[column * size.width + row];
}

// Launches a transpose with tiles of `columns` by `rows`.
auto tiled(Transpose kernel, int columns, int rows, dim3 block)
{
    return [=](const Matrices<float>& m) {
        kernel<<<grid_of(m.width, m.height, columns, rows), block>>>(m.output, m.input, m.width, m.height);
    };
}

auto small(Transpose kernel) { return tiled(kernel, SMALL_DIM, SMALL_DIM, small_block); }
auto rectangular(Transpose kernel) { return tiled(kernel, COLUMNS, ROWS, rectangular_block); }

// Launches a layout. It moves integers; the bits of the matrix serve as such.
auto layout(Layout kernel, dim3 block, int dynamic_words = 0)
{
    return [=](const Matrices<float>& m) {
        auto output = reinterpret_cast<int*>(m.output);
        auto input = reinterpret_cast<const int*>(m.input);
        kernel<<<1, block, dynamic_words * sizeof(int)>>>(output, input);
    };
}

auto square(Layout kernel, int dynamic_words = 0) { return layout(kernel, square_block, dynamic_words); }
auto rectangle(Layout kernel, int dynamic_words = 0) { return layout(kernel, rectangular_block, dynamic_words); }

// Wavefronts that an access of a warp to the tile takes, on 32 banks and on the 16 of a gt200. That one serves half a
// warp at a time, so there the ideal is 2.
struct Wavefronts {
    int load, store, load_on_16_banks, store_on_16_banks;
};

MatrixChapter<float>& add(MatrixChapter<float>& chapter, std::string name, MatrixChapter<float>::LaunchFunction launch,
    Wavefronts wavefronts)
{
    return chapter.kernel(std::move(name), std::move(launch), transposed)
        .expect(global_load.sectors_per_request == 4)
        .expect(global_store.sectors_per_request == 4)
        .expect(shared_load.wavefronts_per_instruction == wavefronts.load)
        .expect(shared_store.wavefronts_per_instruction == wavefronts.store)
        .expect_on("gt200", shared_load.wavefronts_per_instruction == wavefronts.load_on_16_banks)
        .expect_on("gt200", shared_store.wavefronts_per_instruction == wavefronts.store_on_16_banks);
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("padding", "How many columns of padding does a tile need?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);
    chapter.rows_of_smallest_tile(ROWS);

    add(chapter, "transpose_padded", tiled(transpose_padded, TILE_DIM, TILE_DIM, block), {1, 1, 2, 2});

    add(chapter, "transpose_tile_16", small(transpose_tile_16), {8, 1, 32, 2});
    add(chapter, "transpose_tile_16_padded_1", small(transpose_tile_16_padded_1), {2, 2, 2, 2});
    add(chapter, "transpose_tile_16_padded_2", small(transpose_tile_16_padded_2), {1, 2, 4, 2});

    add(chapter, "transpose_rectangular", rectangular(transpose_rectangular), {16, 1, 32, 2});
    add(chapter, "transpose_rectangular_padded_1", rectangular(transpose_rectangular_padded_1), {2, 1, 2, 2});
    add(chapter, "transpose_rectangular_padded_2", rectangular(transpose_rectangular_padded_2), {1, 1, 4, 2});

    // Its sectors depend on where the rows begin, so they have no expectation.
    chapter.kernel("transpose_tile_31", tiled(transpose_tile_31, ODD_DIM, ODD_DIM, block), transposed)
        .expect(shared_store.conflicts == 0)
        .expect(shared_load.conflicts == 0)
        .expect_on("gt200", shared_store.conflicts == 0)
        .expect_on("gt200", shared_load.conflicts == 0);
    add(chapter, "transpose_narrow_block", tiled(transpose_narrow_block, TILE_DIM, TILE_DIM, narrow_block),
        {8, 4, 16, 4});

    // 1024 threads are more than a block of a gt200 has.
    struct Study {
        const char* name;
        MatrixChapter<float>::LaunchFunction launch;
        Wavefronts wavefronts;
    };
    const int square_words = TILE_DIM * TILE_DIM, padded_square_words = TILE_DIM * (TILE_DIM + 1);
    for (const Study& study : std::vector<Study>{
             {"layout_square_static", square(layout_square_static), {32, 1, 0, 0}},
             {"layout_square_static_padded", square(layout_square_static_padded), {1, 1, 0, 0}},
             {"layout_square_dynamic", square(layout_square_dynamic, square_words), {32, 1, 0, 0}},
             {"layout_square_dynamic_padded", square(layout_square_dynamic_padded, padded_square_words), {1, 1, 0, 0}},
         })
        add(chapter, study.name, study.launch, study.wavefronts).only_at({{TILE_DIM, TILE_DIM}}).left_out_on("gt200");

    const int words = ROWS * COLUMNS, padded = ROWS * (COLUMNS + 2);
    for (const Study& study : std::vector<Study>{
             {"layout_rectangle_static", rectangle(layout_rectangle_static), {16, 1, 32, 2}},
             {"layout_rectangle_static_padded", rectangle(layout_rectangle_static_padded), {1, 1, 4, 2}},
             {"layout_rectangle_dynamic", rectangle(layout_rectangle_dynamic, words), {16, 1, 32, 2}},
             {"layout_rectangle_dynamic_padded", rectangle(layout_rectangle_dynamic_padded, padded), {1, 1, 4, 2}},
         })
        add(chapter, study.name, study.launch, study.wavefronts).only_at({{COLUMNS, ROWS}});

    return chapter.run(argc, argv);
}
// [/entry]
