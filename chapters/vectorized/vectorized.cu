// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How close to a plain copy can a transpose come?
//
// A larger tile has more loads in flight, blocks that run together can be numbered so that they
// write neighboring bytes, and an instruction can move 16 bytes, not 4. Which gains most? And how
// much of it remains when the rows of a matrix begin inside a sector?

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include <cstdint>

// [constants]
// The square tile: 64 x 64 floats.
constexpr int TILE_DIM = 64;
constexpr int BLOCK_ROWS = 8;
constexpr int LOADS = TILE_DIM / BLOCK_ROWS;

// A unit is what one access of 16 bytes moves.
constexpr int UNIT_FLOATS = 4;
constexpr int UNITS = TILE_DIM / UNIT_FLOATS;

// With blocks numbered down, the columns of tiles are the grid's y.
constexpr int MOST_COLUMNS_OF_TILES = 65535;
constexpr int MOST_WIDTH = MOST_COLUMNS_OF_TILES * TILE_DIM;
// [/constants]

// [transpose_wide_tile]
__global__ void transpose_wide_tile(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: all loads of a thread are in flight before the first is used.
    float values[LOADS];
    for (int i = 0; i < LOADS; ++i)
        values[i] = x < width && y + i * BLOCK_ROWS < height ? input[(y + i * BLOCK_ROWS) * width + x] : 0;
    for (int i = 0; i < LOADS; ++i)
        tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];

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
// [/transpose_wide_tile]

// [four_loads_constants]
// The control's block has twice the threads, and each of them half the loads.
constexpr int TALL_BLOCK_ROWS = 16;
constexpr int FOUR_LOADS = TILE_DIM / TALL_BLOCK_ROWS;
// [/four_loads_constants]

// [transpose_four_loads]
__global__ void transpose_four_loads(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // A control: the large tile with a thread for every four elements. Each has four loads in flight.
    float values[FOUR_LOADS];
    for (int i = 0; i < FOUR_LOADS; ++i)
        values[i] = x < width && y + i * TALL_BLOCK_ROWS < height
                        ? input[(y + i * TALL_BLOCK_ROWS) * width + x]
                        : 0;
    for (int i = 0; i < FOUR_LOADS; ++i)
        tile[threadIdx.y + i * TALL_BLOCK_ROWS][threadIdx.x] = values[i];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each in a bank of its own.
    for (int j = 0; j < TILE_DIM; j += TALL_BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_four_loads]

// [transpose_down]
__global__ void transpose_down(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Good: the next block writes on in the same rows of the output.
    int x = blockIdx.y * TILE_DIM + threadIdx.x;
    int y = blockIdx.x * TILE_DIM + threadIdx.y;

    // Good: all loads of a thread are in flight before the first is used.
    float values[LOADS];
    for (int i = 0; i < LOADS; ++i)
        values[i] = x < width && y + i * BLOCK_ROWS < height ? input[(y + i * BLOCK_ROWS) * width + x] : 0;
    for (int i = 0; i < LOADS; ++i)
        tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.x * TILE_DIM + threadIdx.x;
    y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each in a bank of its own.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_down]

// [column_of]
__device__ float element(const float4& unit, int i)
{
    return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w;
}

// Column i of a block of 4 x 4, whose rows lie in registers. Once the loop
// over i is unrolled this moves nothing: it says which register is which.
__device__ float4 column_of(const float4* rows, int i)
{
    return make_float4(element(rows[0], i), element(rows[1], i), element(rows[2], i), element(rows[3], i));
}
// [/column_of]

// [transpose_vectorized]
__global__ void transpose_vectorized(float* output, const float* input, int width, int height)
{
    // Each row is a column of the input: 16 units, and one of padding.
    __shared__ float4 tile[TILE_DIM][UNITS + 1];

    // Good: the next block writes on in the same rows of the output.
    int x = blockIdx.y * TILE_DIM + UNIT_FLOATS * threadIdx.x;
    int y = blockIdx.x * TILE_DIM + UNIT_FLOATS * threadIdx.y;

    // Good: all loads of a thread are in flight before the first is used.
    float4 rows[UNIT_FLOATS];
    if (x < width && y < height) {
        for (int i = 0; i < UNIT_FLOATS; ++i)
            rows[i] = *reinterpret_cast<const float4*>(&input[(y + i) * width + x]);

        // Bad: neighboring lanes are four rows of the tile apart.
        for (int i = 0; i < UNIT_FLOATS; ++i)
            tile[UNIT_FLOATS * threadIdx.x + i][threadIdx.y] = column_of(rows, i);
    }

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.x * TILE_DIM + UNIT_FLOATS * threadIdx.x;
    y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    for (int j = 0; j < TILE_DIM; j += UNITS)
        if (x < height && y + j < width)
            *reinterpret_cast<float4*>(&output[(y + j) * height + x]) = tile[threadIdx.y + j][threadIdx.x];
}
// [/transpose_vectorized]

// [transpose_streaming]
__global__ void transpose_streaming(float* output, const float* input, int width, int height)
{
    // Each row is a column of the input: 16 units, and one of padding.
    __shared__ float4 tile[TILE_DIM][UNITS + 1];

    // Good: the next block writes on in the same rows of the output.
    int x = blockIdx.y * TILE_DIM + UNIT_FLOATS * threadIdx.x;
    int y = blockIdx.x * TILE_DIM + UNIT_FLOATS * threadIdx.y;

    // The hint: each byte is used once, so no cache need keep it.
    float4 rows[UNIT_FLOATS];
    if (x < width && y < height) {
        for (int i = 0; i < UNIT_FLOATS; ++i)
            rows[i] = __ldcs(reinterpret_cast<const float4*>(&input[(y + i) * width + x]));

        // Bad: neighboring lanes are four rows of the tile apart.
        for (int i = 0; i < UNIT_FLOATS; ++i)
            tile[UNIT_FLOATS * threadIdx.x + i][threadIdx.y] = column_of(rows, i);
    }

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.x * TILE_DIM + UNIT_FLOATS * threadIdx.x;
    y = blockIdx.y * TILE_DIM + threadIdx.y;

    // The same hint to the stores.
    for (int j = 0; j < TILE_DIM; j += UNITS)
        if (x < height && y + j < width)
            __stcs(reinterpret_cast<float4*>(&output[(y + j) * height + x]),
                tile[threadIdx.y + j][threadIdx.x]);
}
// [/transpose_streaming]

#include "any_size.cuh"

// [launch]
int blocks_for(int elements, int per_block) { return (elements + per_block - 1) / per_block; }

// Blocks numbered along the rows of tiles, as in the other chapters.
dim3 grid_along(int width, int height)
{
    return dim3(blocks_for(width, TILE_DIM), blocks_for(height, TILE_DIM));
}

// Blocks numbered down the columns of tiles.
dim3 grid_down(int width, int height)
{
    return dim3(blocks_for(height, TILE_DIM), blocks_for(width, TILE_DIM));
}

// One number for each block: a grid may have more of them in x than in y.
int grid_of_any_size(int width, int height)
{
    return blocks_for(height + SECTOR_FLOATS - 1, TILE_DIM) * blocks_for(width, TILE_DIM);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
const dim3 block_of_units(UNITS, UNITS);
// [/launch]

// [transpose]
bool begins_unit(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % sizeof(float4) == 0; }

// Right for any width and height, and for matrices that begin anywhere.
void transpose(float* output, const float* input, int width, int height)
{
    // Pieces of 256 bytes to read, and whole units to write.
    bool rows_are_whole = width % TILE_DIM == 0 && height % UNIT_FLOATS == 0;
    if (rows_are_whole && width <= MOST_WIDTH && begins_unit(output) && begins_unit(input))
        transpose_vectorized<<<grid_down(width, height), block_of_units>>>(output, input, width, height);
    else
        transpose_prefetching<<<grid_of_any_size(width, height), block>>>(output, input, width, height);
}
// [/transpose]

// [entry]
using namespace conflict_free;

// The transpose of all rows but the last, of a matrix that begins one element late.
float transposed_one_late(const float* input, Size size, std::size_t index)
{
    Size smaller{size.width, size.height - 1};
    bool inside = index >= 1 && index - 1 < smaller.count();
    return inside ? transposed(input + 1, smaller, index - 1) : poison_value<float>();
}

template <auto kernel, auto grid>
auto launch(dim3 block)
{
    return [=](const Matrices<float>& m) {
        kernel<<<grid(m.width, m.height), block>>>(m.output, m.input, m.width, m.height);
    };
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("vectorized", "How close to a plain copy can a transpose come?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {130, 129}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}, {8192, 8192}, {8184, 16392}, {8191, 16385}, {16385, 8191}});
    chapter.traffic_sizes({{16384, 16384}, {8192, 8192}, {8184, 16392}, {8191, 16385}});
    chapter.whole_tiles(TILE_DIM);

    const std::vector<Expectation> scalar_ideal{global_load.sectors_per_request == 4,
        global_store.sectors_per_request == 4, shared_load.conflicts == 0, shared_store.conflicts == 0};
    const std::vector<Expectation> vector_ideal{global_load.sectors_per_request == 16,
        global_store.sectors_per_request == 16, shared_load.conflicts == 0,
        shared_store.wavefronts_per_instruction == 16};
    const AcceptedSizes whole_units = multiples_of(UNIT_FLOATS) && widths_up_to(MOST_WIDTH);

    chapter.add({.name = "transpose_wide_tile",
        .launch = launch<transpose_wide_tile, grid_along>(block),
        .expected = transposed<float>,
        .expect = scalar_ideal});

    chapter.add({.name = "transpose_four_loads",
        .launch = launch<transpose_four_loads, grid_along>(dim3(TILE_DIM, TALL_BLOCK_ROWS)),
        .expected = transposed<float>,
        .expect = scalar_ideal});

    chapter.add({.name = "transpose_down",
        .launch = launch<transpose_down, grid_down>(block),
        .expected = transposed<float>,
        .expect = scalar_ideal,
        .sizes = widths_up_to(MOST_WIDTH)});

    chapter.add({.name = "transpose_vectorized",
        .launch = launch<transpose_vectorized, grid_down>(block_of_units),
        .expected = transposed<float>,
        .expect = vector_ideal,
        .sizes = whole_units});

    chapter.add({.name = "transpose_streaming",
        .launch = launch<transpose_streaming, grid_down>(block_of_units),
        .expected = transposed<float>,
        .expect = vector_ideal,
        .sizes = whole_units});

    chapter.add({.name = "transpose_any_size",
        .launch = launch<transpose_any_size, grid_of_any_size>(block),
        .expected = transposed<float>,
        .expect = scalar_ideal});

    chapter.add({.name = "transpose_prefetching",
        .launch = launch<transpose_prefetching, grid_of_any_size>(block),
        .expected = transposed<float>,
        .expect = scalar_ideal});

    chapter.add_baseline({.name = "transpose",
        .launch = [](const Matrices<float>& m) { transpose(m.output, m.input, m.width, m.height); },
        .expected = transposed<float>});

    chapter.add_baseline({.name = "transpose_one_late",
        .launch =
            [](const Matrices<float>& m) { transpose(m.output + 1, m.input + 1, m.width, m.height - 1); },
        .expected = transposed_one_late});

    return chapter.run(argc, argv);
}
// [/entry]
