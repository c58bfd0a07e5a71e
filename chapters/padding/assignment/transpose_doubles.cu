// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Transpose doubles without a bank conflict.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// A block has TILE_DIM x BLOCK_ROWS threads and moves one tile of TILE_DIM x TILE_DIM elements.
__global__ void transpose_tiles(double* output, const double* input, int width, int height)
{
    // BEGIN SOLUTION
    // A row is 66 words long, so the next element of a column lies two banks farther on.
    __shared__ double tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    // INSTEAD
    // |    // Your work: declare a tile in shared memory, fill it, and write it to the output.
    // END SOLUTION
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    transpose_tiles<<<grid, block>>>(output, input, width, height);
}
