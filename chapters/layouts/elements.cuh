// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Two padded tiles, each with as many elements a thread as the other one in the chapter before: one
// for the tile of 32 x 32, four for the tile of 32 columns and 16 rows. The tiles, and the
// wavefronts of every access, stay as they are.
#pragma once

#include "constants.cuh"

// [transpose_padded_one_element]
__global__ void transpose_padded_one_element(float* output, const float* input, int width, int height)
{
    // The unused column moves the beginning of each row on by a bank.
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: neighboring lanes read neighboring elements of a row.
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each lane in another bank.
    if (x < height && y < width)
        output[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
// [/transpose_padded_one_element]

// [transpose_rectangular_four_elements]
__global__ void transpose_rectangular_four_elements(
    float* output, const float* input, int width, int height)
{
    __shared__ float tile[ROWS][COLUMNS + 2];

    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;

    // Each thread loads four elements before the barrier.
    for (int j = 0; j < ROWS; j += FEW_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // In the output the tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * COLUMNS + row;
    for (int j = 0; j < COLUMNS; j += COLUMNS * FEW_ROWS / ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[column][row + j];
}
// [/transpose_rectangular_four_elements]
