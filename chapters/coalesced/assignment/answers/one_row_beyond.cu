// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Out of bounds by one row, where the height is no multiple of 32: <= for <.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j <= height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.x * TILE_DIM + threadIdx.y;
    y = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x + j < width && y < height)
            output[(x + j) * height + (height - 1 - y)] = tile[threadIdx.x][threadIdx.y + j];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    turn<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(output, input, width, height);
}
