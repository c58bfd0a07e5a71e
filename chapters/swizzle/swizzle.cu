// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How can a tile be free of conflicts when it has no room for padding?
//
// Padding shifts each row of a tile. Swizzling exchanges the columns within each row, by XOR with
// the row's number. It takes no shared memory, it works where accesses of 16 bytes leave padding no
// room, and the same pattern serves elements of 1 to 16 bytes.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

#include <cstdint>
#include <cstring>

#include "any_elements.cuh"
#include "constants.cuh"
#include "elements.cuh"

// [transpose_swizzled_scalar]
__global__ void transpose_swizzled_scalar(float* output, const float* input, int width, int height)
{
    // No padding: 32 rows of 32 words.
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: neighboring lanes read neighboring elements of a row.
    // Column x of row y of the tile lies at place x ^ y of that row.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = input[(y + j) * width + x];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each in a bank of its own.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
// [/transpose_swizzled_scalar]

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

// [transpose_swizzled_vectorized]
__global__ void transpose_swizzled_vectorized(float* output, const float* input, int width, int height)
{
    // Each row is a column of the input: 16 units, and no padding.
    __shared__ float4 tile[WIDE_DIM][UNITS];

    // Good: the next block writes on in the same rows of the output.
    int x = blockIdx.y * WIDE_DIM + UNIT_FLOATS * threadIdx.x;
    int y = blockIdx.x * WIDE_DIM + UNIT_FLOATS * threadIdx.y;

    // Good: all loads of a thread are in flight before the first is used.
    float4 rows[UNIT_FLOATS];
    if (x < width && y < height) {
        for (int i = 0; i < UNIT_FLOATS; ++i)
            rows[i] = *reinterpret_cast<const float4*>(&input[(y + i) * width + x]);

        // Good: eight neighboring lanes have eight different threadIdx.x % 8.
        for (int i = 0; i < UNIT_FLOATS; ++i)
            tile[UNIT_FLOATS * threadIdx.x + i][threadIdx.y ^ threadIdx.x % UNITS_IN_BANKS] =
                column_of(rows, i);
    }

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.x * WIDE_DIM + UNIT_FLOATS * threadIdx.x;
    y = blockIdx.y * WIDE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    for (int j = 0; j < WIDE_DIM; j += UNITS)
        if (x < height && y + j < width) {
            unsigned row = threadIdx.y + j;
            float4 unit = tile[row][threadIdx.x ^ row / UNIT_FLOATS % UNITS_IN_BANKS];
            *reinterpret_cast<float4*>(&output[(y + j) * height + x]) = unit;
        }
}
// [/transpose_swizzled_vectorized]

// [launch]
int blocks_for(int elements, int per_block) { return (elements + per_block - 1) / per_block; }

// Blocks numbered along the rows of tiles.
dim3 grid_along(int width, int height)
{
    return dim3(blocks_for(width, TILE_DIM), blocks_for(height, TILE_DIM));
}

// Blocks numbered down the columns of tiles.
dim3 grid_down(int width, int height, int columns, int rows)
{
    return dim3(blocks_for(height, rows), blocks_for(width, columns));
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
const dim3 block_of_units(UNITS, UNITS);
// [/launch]

// [entry]
using namespace conflict_free;

// The bytes of the matrix as rows of other elements, without the last CUT of each row's worth.
template <class Element, int CUT>
Size as_elements(Size size)
{
    return {static_cast<int>(size.width * sizeof(float) / sizeof(Element)) - CUT, size.height};
}

// They are the last elements of the buffer. This many lie before them.
template <class Element, int CUT>
std::size_t elements_before(Size size)
{
    return size.count() * sizeof(float) / sizeof(Element) - as_elements<Element, CUT>(size).count();
}

// Four bytes of the transpose of such a matrix.
template <class Element, int CUT>
float transposed_as(const float* input, Size size, std::size_t index)
{
    auto bytes = reinterpret_cast<const unsigned char*>(input);
    const Size matrix = as_elements<Element, CUT>(size);
    const std::size_t before = elements_before<Element, CUT>(size);
    unsigned char expected[sizeof(float)];
    for (std::size_t i = 0; i < sizeof(float); ++i) {
        // The number of an element before the matrix wraps around, and is that of none in it.
        std::size_t element = (index * sizeof(float) + i) / sizeof(Element) - before,
                    part = (index * sizeof(float) + i) % sizeof(Element);
        std::size_t row = element / matrix.height, column = element % matrix.height;
        bool inside = element < matrix.count();
        expected[i] =
            inside ? bytes[(before + column * matrix.width + row) * sizeof(Element) + part] : 0xFF;
    }
    float value;
    std::memcpy(&value, expected, sizeof value);
    return value;
}

using Chapters = MatrixChapter<float>;

// A kernel on elements of another type. Its tile has `columns` by `rows` of them.
template <class Element, int CUT = 0, class Function>
Chapters::Kernel on_elements(
    std::string name, Function kernel, int columns, int rows, int row_margin, int threads)
{
    const auto launch = [=](const Matrices<float>& m) {
        const Size matrix = as_elements<Element, CUT>({m.width, m.height});
        const dim3 grid = grid_down(matrix.width, matrix.height + row_margin, columns, rows);
        const std::size_t before = elements_before<Element, CUT>({m.width, m.height});
        auto output = reinterpret_cast<Element*>(m.output) + before;
        auto input = reinterpret_cast<const Element*>(m.input) + before;
        kernel<<<grid, threads>>>(output, input, matrix.width, matrix.height);
    };
    return {.name = std::move(name),
        .launch = launch,
        .expected = transposed_as<Element, CUT>,
        .expect = {shared_load.conflicts == 0, shared_store.conflicts == 0},
        .sizes = widths_from(blocks_for((1 + CUT) * sizeof(Element), sizeof(float))),
        .useful_bytes = [](Size size) {
            return 2 * as_elements<Element, CUT>(size).count() * sizeof(Element);
        }};
}

template <class Element, class Function>
Chapters::Kernel whole_units(std::string name, Function kernel, int columns, int rows)
{
    Chapters::Kernel whole = on_elements<Element>(std::move(name), kernel, columns, rows, 0, 512);
    whole.sizes = whole.sizes && multiples_of(UNIT_BYTES);
    whole.expect.push_back(global_load.sectors_per_request == 16);
    whole.expect.push_back(global_store.sectors_per_request == 16);
    return whole;
}

// Without the last element, rows are not multiples of a unit and begin anywhere, as does the matrix.
template <class Element, class Function>
Chapters::Kernel any_size(std::string name, Function kernel, int columns, int rows, int threads)
{
    const int row_margin = SECTOR_BYTES / sizeof(Element) - 1;
    return on_elements<Element, 1>(std::move(name), kernel, columns, rows, row_margin, threads);
}

int main(int argc, char** argv)
{
    Chapters chapter("swizzle", "Can a tile be free of conflicts with no padding at all?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1008, 720}, {129, 250}, {100, 70}, {16, 48}, {33, 31},
        {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}, {8192, 8192}, {8191, 16385}, {16385, 8191}});
    chapter.traffic_sizes({{16384, 16384}, {8192, 8192}, {8191, 16385}});
    chapter.whole_tiles(256);

    chapter.add({.name = "transpose_swizzled_scalar",
        .launch =
            [](const Matrices<float>& m) {
                transpose_swizzled_scalar<<<grid_along(m.width, m.height), block>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            shared_load.conflicts == 0, shared_store.conflicts == 0}});

    chapter.add({.name = "transpose_swizzled_vectorized",
        .launch =
            [](const Matrices<float>& m) {
                const dim3 grid = grid_down(m.width, m.height, WIDE_DIM, WIDE_DIM);
                transpose_swizzled_vectorized<<<grid, block_of_units>>>(
                    m.output, m.input, m.width, m.height);
            },
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 16, global_store.sectors_per_request == 16,
            shared_load.conflicts == 0, shared_store.conflicts == 0},
        .sizes = multiples_of(UNIT_FLOATS)});

    chapter.add(whole_units<uint8_t>("transpose_1_byte", transpose_1_byte, 256, 128));
    chapter.add(whole_units<uint16_t>("transpose_2_bytes", transpose_2_bytes, 128, 128));
    chapter.add(whole_units<uint32_t>("transpose_4_bytes", transpose_4_bytes, 64, 64));
    chapter.add(whole_units<uint64_t>("transpose_8_bytes", transpose_8_bytes, 32, 64));
    chapter.add(whole_units<uint4>("transpose_16_bytes", transpose_16_bytes, 32, 32));

    chapter.add(any_size<uint8_t>("transpose_any_1_byte", transpose_any_1_byte, 256, 128, 256));
    chapter.add(any_size<uint16_t>("transpose_any_2_bytes", transpose_any_2_bytes, 128, 128, 256));
    chapter.add(any_size<uint32_t>("transpose_any_4_bytes", transpose_any_4_bytes, 64, 64, 512));
    chapter.add(any_size<uint64_t>("transpose_any_8_bytes", transpose_any_8_bytes, 64, 32, 512));
    chapter.add(any_size<uint4>("transpose_any_16_bytes", transpose_any_16_bytes, 16, 32, 256));

    return chapter.run(argc, argv);
}
// [/entry]
