// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Can a kernel that transposes write its blocks where they are sent from?

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

// BEGIN SOLUTION
// Blocks of threads with the same blockIdx.z write the block for one rank: 0 is the rank after this one, the last is this one.
__global__ void write_blocks(float* send, const float* input, int rank, int ranks, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int other = (rank + 1 + blockIdx.z) % ranks;
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int begin = first(width, other, ranks), columns = first(width, other + 1, ranks) - begin;
    // How many columns are sent earlier: sending begins at those of rank + 1, and goes on at column 0 behind the last one.
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
// INSTEAD
// |// Transposes a matrix with `height` rows of `width` elements.
// |__global__ void transpose(float* output, const float* input, int width, int height)
// |{
// |    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
// |
// |    int x = blockIdx.x * TILE_DIM + threadIdx.x;
// |    int y = blockIdx.y * TILE_DIM + threadIdx.y;
// |    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
// |        if (x < width && y + j < height)
// |            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];
// |
// |    __syncthreads();
// |
// |    x = blockIdx.y * TILE_DIM + threadIdx.x;
// |    y = blockIdx.x * TILE_DIM + threadIdx.y;
// |    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
// |        if (x < height && y + j < width)
// |            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
// |}
// |
// |// Copies `count` elements to where they are sent from.
// |__global__ void pack(float* send, const float* block, int count)
// |{
// |    int i = blockIdx.x * blockDim.x + threadIdx.x;
// |    if (i < count)
// |        send[i] = block[i];
// |}
// END SOLUTION

// input: this rank's rows of a matrix that has `height` rows of `width` elements over all ranks. send: as many elements.
void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    // A launch without blocks fails.
    if (rows == 0)
        return;
    // BEGIN SOLUTION
    int most_columns = (width + ranks - 1) / ranks;
    dim3 grid((most_columns + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM, ranks);
    write_blocks<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(send, input, rank, ranks, width, height);
    // INSTEAD
    // |float* transposed = nullptr;
    // |cudaMalloc(&transposed, sizeof(float) * rows * width);
    // |dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
    // |transpose<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(transposed, input, width, rows);
    // |
    // |// The blocks go to the rank after this one, then to the next, and so on; the last is this rank's own.
    // |for (int i = 0; i < ranks; i++) {
    // |    int other = (rank + 1 + i) % ranks;
    // |    int begin = first(width, other, ranks), columns = first(width, other + 1, ranks) - begin;
    // |    int count = columns * rows;
    // |    if (count > 0)
    // |        pack<<<(count + 255) / 256, 256>>>(send, transposed + begin * rows, count);
    // |    send += count;
    // |}
    // |cudaFree(transposed);
    // END SOLUTION
}
