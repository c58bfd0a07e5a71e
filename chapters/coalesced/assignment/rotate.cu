// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Can an image be rotated by 90 degrees with both sides coalesced?
//
// A quarter turn clockwise makes the left column, read from the bottom up, the top row. It moves as many bytes as a copy.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// BEGIN SOLUTION
__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    // A row has one extra word, so the rows of a column lie in different banks.
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // Good: neighboring lanes read neighboring pixels of a row.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // The lanes take the rows of the input, from the last one on. Each row of the input becomes a column of the output.
    x = blockIdx.x * TILE_DIM + threadIdx.y;
    y = blockIdx.y * TILE_DIM + threadIdx.x;

    // Good: neighboring lanes write neighboring pixels of a row, from right to left.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x + j < width && y < height)
            output[(x + j) * height + (height - 1 - y)] = tile[threadIdx.x][threadIdx.y + j];
}
// INSTEAD
// |__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
// |{
// |    int x = blockIdx.x * TILE_DIM + threadIdx.x;
// |    int y = blockIdx.y * TILE_DIM + threadIdx.y;
// |
// |    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
// |        if (x < width && y + j < height)
// |            output[x * height + (height - 1 - (y + j))] = input[(y + j) * width + x];
// |}
// END SOLUTION

// input: height rows of width pixels, row after row. output: width rows of height pixels. Both are in device memory.
void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    dim3 block(TILE_DIM, BLOCK_ROWS);
    turn<<<grid, block>>>(output, input, width, height);
}
