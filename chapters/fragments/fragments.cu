// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Which lane holds which element of a tile, and what do eight rows of 16 bytes cost?
//
// A tensor core multiplies what a warp holds in registers, each lane its own elements of the two tiles.
// Loading them reads eight rows at once. In a tile whose rows are 128 bytes, these meet in four banks.

#include <conflict_free/matrix_chapter.hpp>

#include "instructions.cuh"
#include "narrow_rows.cuh"
#include "reference.cuh"

// [square_plain]
__global__ void square_plain(half* output, const half* input, int width, int height)
{
    // Each row is 128 bytes: all 32 banks.
    __shared__ alignas(16) half tile[TILE_DIM][TILE_DIM];

    // Good: each thread moves 16 bytes, and neighboring lanes move neighboring units.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int unit = threadIdx.x % UNITS, row = threadIdx.x / UNITS;
    *reinterpret_cast<uint4*>(&tile[row][UNIT * unit]) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        for (int i = 0; i < 4; ++i) {
            int down = i % 2 * 8, across = i / 2 * 8;
            // Bad: the lanes read eight rows at once, and all rows begin in bank 0.
            a[i] = pair_at(&tile[top + down + lane / 4][k + across + lane % 4 * 2]);
            // Bad: the lanes read four rows at once, and each of them 2 bytes.
            int upper = k + down + lane % 4 * 2, column = left + across + lane / 4;
            b[i] = pair_of(tile[upper][column], tile[upper + 1][column]);
        }
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_plain]

// [square_plain_padded]
__global__ void square_plain_padded(half* output, const half* input, int width, int height)
{
    // The unused unit moves the beginning of each row on by four banks.
    __shared__ alignas(16) half tile[TILE_DIM][TILE_DIM + UNIT];

    // Good: each thread moves 16 bytes, and neighboring lanes move neighboring units.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int unit = threadIdx.x % UNITS, row = threadIdx.x / UNITS;
    *reinterpret_cast<uint4*>(&tile[row][UNIT * unit]) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        for (int i = 0; i < 4; ++i) {
            int down = i % 2 * 8, across = i / 2 * 8;
            // Good: the eight rows that the lanes read at once lie in different banks.
            a[i] = pair_at(&tile[top + down + lane / 4][k + across + lane % 4 * 2]);
            // Good: so do four rows, but each lane reads only 2 bytes.
            int upper = k + down + lane % 4 * 2, column = left + across + lane / 4;
            b[i] = pair_of(tile[upper][column], tile[upper + 1][column]);
        }
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_plain_padded]

// [square_ldmatrix]
__global__ void square_ldmatrix(half* output, const half* input, int width, int height)
{
    // Each row is 128 bytes: all 32 banks.
    __shared__ alignas(16) half tile[TILE_DIM][TILE_DIM];

    // Good: each thread moves 16 bytes, and neighboring lanes move neighboring units.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int unit = threadIdx.x % UNITS, row = threadIdx.x / UNITS;
    *reinterpret_cast<uint4*>(&tile[row][UNIT * unit]) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        // Bad: the eight rows of each matrix lie in the same four banks.
        ldmatrix(a, &tile[top + lane % 16][k + lane / 16 * UNIT]);
        ldmatrix_trans(b, &tile[k + lane % 16][left + lane / 16 * UNIT]);
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_ldmatrix]

// [square_padded]
__global__ void square_padded(half* output, const half* input, int width, int height)
{
    // The unused unit moves the beginning of each row on by four banks.
    __shared__ alignas(16) half tile[TILE_DIM][TILE_DIM + UNIT];

    // Good: each thread moves 16 bytes, and neighboring lanes move neighboring units.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int unit = threadIdx.x % UNITS, row = threadIdx.x / UNITS;
    *reinterpret_cast<uint4*>(&tile[row][UNIT * unit]) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        // Good: the eight rows of each matrix fill all banks.
        ldmatrix(a, &tile[top + lane % 16][k + lane / 16 * UNIT]);
        ldmatrix_trans(b, &tile[k + lane % 16][left + lane / 16 * UNIT]);
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_padded]

// [square_swizzled]
__global__ void square_swizzled(half* output, const half* input, int width, int height)
{
    // No padding. Unit u of row r lies at place u ^ r % 8 of the row.
    __shared__ alignas(16) half tile[TILE_DIM][TILE_DIM];

    // Good: each thread moves 16 bytes, and neighboring lanes move neighboring units.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int unit = threadIdx.x % UNITS, row = threadIdx.x / UNITS;
    *reinterpret_cast<uint4*>(&tile[row][UNIT * (unit ^ row % UNITS)]) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        // Good: the eight rows of each matrix fill all banks. Parts begin at multiples
        // of 16 rows, so row r of the tile has r % 8 == lane % 8.
        ldmatrix(a, &tile[top + lane % 16][UNIT * ((k / UNIT + lane / 16) ^ lane % UNITS)]);
        ldmatrix_trans(b, &tile[k + lane % 16][UNIT * ((left / UNIT + lane / 16) ^ lane % UNITS)]);
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_swizzled]

// [entry]
using namespace conflict_free;

using Square = void (*)(half*, const half*, int, int);

// A kernel on tiles, and the wavefronts that a warp's loads of 16 x 16 and 16 x 16 halves take, in a number of instructions.
MatrixChapter<half>::Kernel on_tiles(std::string name, Square kernel, int wavefronts, int instructions)
{
    const auto launch = [=](const Matrices<half>& m) {
        const dim3 grid((m.width + TILE_DIM - 1) / TILE_DIM, (m.height + TILE_DIM - 1) / TILE_DIM);
        kernel<<<grid, THREADS>>>(m.output, m.input, m.width, m.height);
    };
    const int steps = PARTS * PARTS * PARTS;
    const double each = static_cast<double>(wavefronts) / instructions;
    return {.name = std::move(name),
        .launch = launch,
        .expected = squared_in_tiles,
        .expect = {global_load.sectors_per_request == 16, global_store.sectors_per_request == 8,
            shared_load.wavefronts_per_block == steps * wavefronts,
            shared_load.wavefronts_per_instruction == each, shared_store.conflicts == 0},
        .sizes = {[](Size size) { return size.width % UNIT == 0; }, "widths that are multiples of 8"}};
}

int main(int argc, char** argv)
{
    MatrixChapter<half> chapter("fragments", "What does it cost to load a tile for a tensor core?");
    chapter.sizes({{1024, 1024}, {256, 128}, {200, 141}, {72, 33}, {8, 8}, {8, 1}});
    chapter.gpu_sizes({{16384, 16384}, {2048, 2048}});
    chapter.counted_size({1024, 1024});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);
    chapter.rows_of_smallest_tile(TILE_DIM);
    chapter.least_compute_capability(8, 0, "mma.sync of 16 x 8 x 16 halves came with it");

    // Plain loads: 4 of 4 bytes for the first tile, 8 of 2 bytes for the second.
    chapter.add(on_tiles("square_plain", square_plain, 4 * 8 + 8 * 4, 12));
    chapter.add(on_tiles("square_plain_padded", square_plain_padded, 4 + 8, 12));
    chapter.add(on_tiles("square_ldmatrix", square_ldmatrix, 32 + 32, 2));
    chapter.add(on_tiles("square_padded", square_padded, 4 + 4, 2));
    chapter.add(on_tiles("square_swizzled", square_swizzled, 4 + 4, 2));
    chapter.add(on_tiles("square_rows_64", square_rows_64, 16 + 16, 2));
    chapter.add(on_tiles("square_rows_64_swizzled", square_rows_64_swizzled, 4 + 4, 2));
    chapter.add(on_tiles("square_rows_32", square_rows_32, 8 + 8, 2));
    chapter.add(on_tiles("square_rows_32_swizzled", square_rows_32_swizzled, 4 + 4, 2));

    return chapter.run(argc, argv);
}
// [/entry]
