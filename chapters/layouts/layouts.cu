// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How else can a tile be free of conflicts, and what else changes with it?
//
// The padding can stand in a declaration, or in an index into dynamic shared memory. A tile of odd
// width and a narrow block need none, but change more than the banks: sectors, conflicts, elements
// that a thread moves. Two more kernels change the number of elements alone.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include "constants.cuh"
#include "elements.cuh"
#include "static_and_dynamic.cuh"
#include "without_padding.cuh"

// [launch]
dim3 grid_of(int width, int height, int columns, int rows)
{
    return dim3((width + columns - 1) / columns, (height + rows - 1) / rows);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
const dim3 narrow_block(NARROW_COLUMNS, TILE_DIM);
const dim3 square_block(TILE_DIM, TILE_DIM);
const dim3 rectangular_block(COLUMNS, ROWS);
const dim3 few_rows_block(COLUMNS, FEW_ROWS);
// [/launch]

// [entry]
using namespace conflict_free;

using Transpose = void (*)(float*, const float*, int, int);
using Layout = void (*)(int*, const int*);

// Launches a transpose with tiles of `columns` by `rows`.
auto tiled(Transpose kernel, int columns, int rows, dim3 block)
{
    return [=](const Matrices<float>& m) {
        kernel<<<grid_of(m.width, m.height, columns, rows), block>>>(m.output, m.input, m.width, m.height);
    };
}

auto square(Transpose kernel, dim3 block) { return tiled(kernel, TILE_DIM, TILE_DIM, block); }

// Launches a layout. It moves integers; the bits of the matrix serve as such.
auto layout(Layout kernel, dim3 block, int dynamic_words = 0)
{
    return [=](const Matrices<float>& m) {
        auto output = reinterpret_cast<int*>(m.output);
        auto input = reinterpret_cast<const int*>(m.input);
        kernel<<<1, block, dynamic_words * sizeof(int)>>>(output, input);
    };
}

auto square_layout(Layout kernel, int dynamic_words = 0)
{
    return layout(kernel, square_block, dynamic_words);
}
auto rectangle_layout(Layout kernel, int dynamic_words = 0)
{
    return layout(kernel, rectangular_block, dynamic_words);
}

// Wavefronts that an access of a warp to the tile takes, on 32 banks and on the 16 of a gt200. That
// one serves half a warp at a time, so there the ideal is 2.
std::vector<Expectation> wavefronts(int load, int store, int load_on_16_banks, int store_on_16_banks)
{
    return {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
        shared_load.wavefronts_per_instruction == load, shared_store.wavefronts_per_instruction == store,
        on("gt200", shared_load.wavefronts_per_instruction == load_on_16_banks),
        on("gt200", shared_store.wavefronts_per_instruction == store_on_16_banks)};
}

struct LayoutOfTile {
    const char* name;
    MatrixChapter<float>::LaunchFunction launch;
    std::vector<Expectation> expect;
};

// The layouts of one tile. 1024 threads are more than a block of a gt200 has.
void add_layouts(MatrixChapter<float>& chapter)
{
    const int square_words = TILE_DIM * TILE_DIM, padded_square_words = TILE_DIM * (TILE_DIM + 1);
    const LayoutOfTile squares[] = {
        {"layout_square_static", square_layout(layout_square_static), wavefronts(32, 1, 0, 0)},
        {"layout_square_static_padded", square_layout(layout_square_static_padded), wavefronts(1, 1, 0, 0)},
        {"layout_square_dynamic", square_layout(layout_square_dynamic, square_words),
            wavefronts(32, 1, 0, 0)},
        {"layout_square_dynamic_padded", square_layout(layout_square_dynamic_padded, padded_square_words),
            wavefronts(1, 1, 0, 0)},
    };
    for (const auto& [name, launch, expect] : squares)
        chapter.add({.name = name,
            .launch = launch,
            .expected = transposed<float>,
            .expect = expect,
            .only_at = {{TILE_DIM, TILE_DIM}},
            .left_out_on = {"gt200"}});

    const int words = ROWS * COLUMNS, padded = ROWS * (COLUMNS + 2);
    const LayoutOfTile rectangles[] = {
        {"layout_rectangle_static", rectangle_layout(layout_rectangle_static), wavefronts(16, 1, 32, 2)},
        {"layout_rectangle_static_padded", rectangle_layout(layout_rectangle_static_padded),
            wavefronts(1, 1, 4, 2)},
        {"layout_rectangle_dynamic", rectangle_layout(layout_rectangle_dynamic, words),
            wavefronts(16, 1, 32, 2)},
        {"layout_rectangle_dynamic_padded", rectangle_layout(layout_rectangle_dynamic_padded, padded),
            wavefronts(1, 1, 4, 2)},
    };
    for (const auto& [name, launch, expect] : rectangles)
        chapter.add({.name = name,
            .launch = launch,
            .expected = transposed<float>,
            .expect = expect,
            .only_at = {{COLUMNS, ROWS}}});
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter(
        "layouts", "How else can a tile be free of conflicts, and what else changes with it?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);
    chapter.rows_of_smallest_tile(ROWS);

    // Its sectors depend on where the rows begin, so they have no expectation.
    chapter.add({.name = "transpose_tile_31",
        .launch = tiled(transpose_tile_31, ODD_DIM, ODD_DIM, block),
        .expected = transposed<float>,
        .expect = {shared_store.conflicts == 0, shared_load.conflicts == 0,
            on("gt200", shared_store.conflicts == 0), on("gt200", shared_load.conflicts == 0)}});
    chapter.add({.name = "transpose_narrow_block",
        .launch = square(transpose_narrow_block, narrow_block),
        .expected = transposed<float>,
        .expect = wavefronts(8, 4, 16, 4)});
    chapter.add({.name = "transpose_padded_one_element",
        .launch = square(transpose_padded_one_element, square_block),
        .expected = transposed<float>,
        .expect = wavefronts(1, 1, 0, 0),
        .left_out_on = {"gt200"}});
    chapter.add({.name = "transpose_rectangular_four_elements",
        .launch = tiled(transpose_rectangular_four_elements, COLUMNS, ROWS, few_rows_block),
        .expected = transposed<float>,
        .expect = wavefronts(1, 1, 4, 2)});

    add_layouts(chapter);
    return chapter.run(argc, argv);
}
// [/entry]
