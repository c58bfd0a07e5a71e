// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Wrong where a rank has no rows: a launch without blocks fails.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// The first of `count` rows, or columns, that belongs to `rank`. Its last one stands before those of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

// Blocks of threads with the same blockIdx.z write the block for one rank: 0 is the rank after this one, the last is this one.
__global__ void write_blocks(float* send, const float* input, int rank, int ranks, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int other = (rank + 1 + blockIdx.z) % ranks;
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int begin = first(width, other, ranks), columns = first(width, other + 1, ranks) - begin;
    // What is sent before are the columns from those of rank + 1 on, round the end of the matrix.
    int before = (begin - first(width, (rank + 1) % ranks, ranks) + width) % width;
    float* block = send + before * rows;

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < columns && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + begin + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < columns)
            block[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int most_columns = (width + ranks - 1) / ranks;
    dim3 grid((most_columns + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM, ranks);
    write_blocks<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(send, input, rank, ranks, width, height);
}
