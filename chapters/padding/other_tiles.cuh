// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tiles of 16 x 16, and of 32 columns and 16 rows: how many columns of padding does each need?
#pragma once

#include "constants.cuh"

// [transpose_tile_16]
__global__ void transpose_tile_16(float* output, const float* input, int width, int height)
{
    __shared__ float tile[SMALL_DIM][SMALL_DIM];

    int x = blockIdx.x * SMALL_DIM + threadIdx.x;
    int y = blockIdx.y * SMALL_DIM + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // A warp is two rows of the block, so it reads two columns.
    x = blockIdx.y * SMALL_DIM + threadIdx.x;
    y = blockIdx.x * SMALL_DIM + threadIdx.y;
    if (x < height && y < width)
        output[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
// [/transpose_tile_16]

// [transpose_tile_16_padded_1]
__global__ void transpose_tile_16_padded_1(float* output, const float* input, int width, int height)
{
    __shared__ float tile[SMALL_DIM][SMALL_DIM + 1];

    int x = blockIdx.x * SMALL_DIM + threadIdx.x;
    int y = blockIdx.y * SMALL_DIM + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // A warp is two rows of the block, so it reads two columns.
    x = blockIdx.y * SMALL_DIM + threadIdx.x;
    y = blockIdx.x * SMALL_DIM + threadIdx.y;
    if (x < height && y < width)
        output[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
// [/transpose_tile_16_padded_1]

// [transpose_tile_16_padded_2]
__global__ void transpose_tile_16_padded_2(float* output, const float* input, int width, int height)
{
    __shared__ float tile[SMALL_DIM][SMALL_DIM + 2];

    int x = blockIdx.x * SMALL_DIM + threadIdx.x;
    int y = blockIdx.y * SMALL_DIM + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // A warp is two rows of the block, so it reads two columns.
    x = blockIdx.y * SMALL_DIM + threadIdx.x;
    y = blockIdx.x * SMALL_DIM + threadIdx.y;
    if (x < height && y < width)
        output[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
// [/transpose_tile_16_padded_2]

// [transpose_rectangular]
__global__ void transpose_rectangular(float* output, const float* input, int width, int height)
{
    __shared__ float tile[ROWS][COLUMNS];

    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // In the output the tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * COLUMNS + row;
    if (x < height && y < width)
        output[y * height + x] = tile[column][row];
}
// [/transpose_rectangular]

// [transpose_rectangular_padded_1]
__global__ void transpose_rectangular_padded_1(float* output, const float* input, int width, int height)
{
    __shared__ float tile[ROWS][COLUMNS + 1];

    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // In the output the tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * COLUMNS + row;
    if (x < height && y < width)
        output[y * height + x] = tile[column][row];
}
// [/transpose_rectangular_padded_1]

// [transpose_rectangular_padded_2]
__global__ void transpose_rectangular_padded_2(float* output, const float* input, int width, int height)
{
    __shared__ float tile[ROWS][COLUMNS + 2];

    int x = blockIdx.x * COLUMNS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];

    __syncthreads();

    // In the output the tile has 32 rows of 16. The threads are
    // numbered anew, so that a warp writes two of these rows.
    int index = threadIdx.y * COLUMNS + threadIdx.x;
    int row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column;
    y = blockIdx.x * COLUMNS + row;
    if (x < height && y < width)
        output[y * height + x] = tile[column][row];
}
// [/transpose_rectangular_padded_2]
