// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Shared by the kernels on tensor cores: the tiles, how they lie in shared memory, and the way of the sums
// to the output.
#pragma once

#include "instructions.cuh"

// [constants]
// A block computes TILE_M x TILE_N elements of C from tiles of A and B that are TILE_K deep.
constexpr int TILE_M = 128;
constexpr int TILE_N = 128;
constexpr int TILE_K = 64;
constexpr int THREADS = 256;

// A tile lies in boxes that are 64 elements wide: a row of a box is 128 bytes, eight units of 16 bytes.
constexpr int BOX = 64;
constexpr int UNIT = 8;
constexpr int UNITS = BOX / UNIT;
// [/constants]

// [layouts]
// Where unit u of row r lies within its row: in order, or moved by the row's number.
struct InOrder {
    __device__ static int place(int /*row*/, int unit) { return unit; }
};
struct Swizzled {
    __device__ static int place(int row, int unit) { return unit ^ row % UNITS; }
};

template <class Layout, int ROWS>
__device__ bf16* unit_of(bf16* tile, int row, int column)
{
    int box = column / BOX, unit = column % BOX / UNIT;
    return tile + box * ROWS * BOX + row * BOX + Layout::place(row, unit) * UNIT;
}
// [/layouts]

// [store_pair]
// Stores 16 x 16 sums of a warp. Of rows l / 4 and l / 4 + 8, lane l holds two neighbors in the left half
// and two in the right half. Lanes l and l ^ 1 exchange one of these pairs, so that each stores four.
__device__ void store_pair(bf16* c, const float* sums, int x, int y, int n, int m)
{
    int lane = threadIdx.x % 32, odd = lane % 2;
    for (int i = 0; i < 2; ++i) {
        __nv_bfloat162 left = __floats2bfloat162_rn(sums[2 * i], sums[2 * i + 1]);
        __nv_bfloat162 right = __floats2bfloat162_rn(sums[2 * i + 4], sums[2 * i + 5]);
        __nv_bfloat162 other = __shfl_xor_sync(~0u, odd ? left : right, 1);
        __nv_bfloat162 four[] = {odd ? other : left, odd ? right : other};

        // Good: four neighboring lanes store a sector.
        int row = y + lane / 4 + 8 * i, column = x + lane % 4 / 2 * 4 + 8 * odd;
        if (column < n && row < m)
            *reinterpret_cast<uint2*>(&c[row * n + column]) = *reinterpret_cast<uint2*>(four);
    }
}
// [/store_pair]
