// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Two ways to do without padding: a tile whose width is odd, and a block narrower than the tile.
#pragma once

#include "constants.cuh"

// [transpose_tile_31]
__global__ void transpose_tile_31(float* output, const float* input, int width, int height)
{
    // An odd number of words in a row, all of them used.
    __shared__ float tile[ODD_DIM][ODD_DIM];

    int x = blockIdx.x * ODD_DIM + threadIdx.x;
    int y = blockIdx.y * ODD_DIM + threadIdx.y;
    bool is_used = threadIdx.x < ODD_DIM;

    // Bad: lane 31 is idle, and most rows do not begin with a sector.
    for (int j = 0; j < ODD_DIM; j += BLOCK_ROWS)
        if (is_used && threadIdx.y + j < ODD_DIM && x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * ODD_DIM + threadIdx.x;
    y = blockIdx.x * ODD_DIM + threadIdx.y;
    for (int j = 0; j < ODD_DIM; j += BLOCK_ROWS)
        if (is_used && threadIdx.y + j < ODD_DIM && x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_tile_31]

// [transpose_narrow_block]
__global__ void transpose_narrow_block(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // A warp covers 4 rows and 8 columns: four whole sectors.
    for (int i = 0; i < TILE_DIM; i += NARROW_COLUMNS)
        if (x + i < width && y < height)
            tile[threadIdx.y][threadIdx.x + i] = input[y * width + x + i];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    // A warp reads 8 elements of each of 4 columns.
    for (int i = 0; i < TILE_DIM; i += NARROW_COLUMNS)
        if (x + i < height && y < width)
            output[y * height + x + i] = tile[threadIdx.x + i][threadIdx.y];
}
// [/transpose_narrow_block]
