// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tiles with rows of 64 and of 32 bytes, as the tensor copy engine lays them down, with its patterns and without.
#pragma once

#include "instructions.cuh"

// [place_of]
// The first half of a unit of a tile that lies in boxes: 64 rows of BOX_UNITS units,
// one box behind the other. Units are exchanged by XOR with the number of the 128
// bytes that they lie in.
template <int BOX_UNITS, int SWIZZLE_UNITS>
__device__ half* place_of(half* tile, int row, int unit)
{
    half* box = tile + unit / BOX_UNITS * TILE_DIM * BOX_UNITS * UNIT;
    int place = row * BOX_UNITS + unit % BOX_UNITS;
    return box + UNIT * (place ^ (place / 8) % SWIZZLE_UNITS);
}
// [/place_of]

// [square_boxes]
template <int BOX_UNITS, int SWIZZLE_UNITS>
__device__ void square_boxes(half* output, const half* input, int width, int height)
{
    __shared__ alignas(1024) half tile[TILE_DIM * TILE_DIM];

    // Good: neighboring lanes store neighboring units of a box.
    int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    int row = threadIdx.x / BOX_UNITS % TILE_DIM;
    int unit = threadIdx.x / BOX_UNITS / TILE_DIM * BOX_UNITS + threadIdx.x % BOX_UNITS;
    *reinterpret_cast<uint4*>(place_of<BOX_UNITS, SWIZZLE_UNITS>(tile, row, unit)) =
        unit_at(input, x + UNIT * unit, y + row, width, height);
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / PARTS * PART_DIM, left = warp % PARTS * PART_DIM;
    float sums[8] = {};
    for (int k = 0; k < TILE_DIM; k += PART_DIM) {
        unsigned a[4], b[4];
        ldmatrix(a, place_of<BOX_UNITS, SWIZZLE_UNITS>(tile, top + lane % 16, k / UNIT + lane / 16));
        ldmatrix_trans(b, place_of<BOX_UNITS, SWIZZLE_UNITS>(tile, k + lane % 16, left / UNIT + lane / 16));
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }
    store_part(output, sums, x + left, y + top, width, height);
}
// [/square_boxes]

// [square_rows_64]
__global__ void square_rows_64(half* output, const half* input, int width, int height)
{
    square_boxes<4, 1>(output, input, width, height);
}
// [/square_rows_64]

// [square_rows_64_swizzled]
__global__ void square_rows_64_swizzled(half* output, const half* input, int width, int height)
{
    square_boxes<4, 4>(output, input, width, height);
}
// [/square_rows_64_swizzled]

// [square_rows_32]
__global__ void square_rows_32(half* output, const half* input, int width, int height)
{
    square_boxes<2, 1>(output, input, width, height);
}
// [/square_rows_32]

// [square_rows_32_swizzled]
__global__ void square_rows_32_swizzled(half* output, const half* input, int width, int height)
{
    square_boxes<2, 2>(output, input, width, height);
}
// [/square_rows_32_swizzled]
