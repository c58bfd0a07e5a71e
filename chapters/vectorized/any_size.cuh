// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The transpose of a matrix whose rows begin anywhere.
#pragma once

// [any_size_constants]
// For any size: the same tile, with as many more rows as a sector has floats.
constexpr int SECTOR_FLOATS = 8;
constexpr int ROWS = TILE_DIM + SECTOR_FLOATS;
constexpr int ANY_SIZE_LOADS = ROWS / BLOCK_ROWS;
// [/any_size_constants]

// [transpose_any_size]
__global__ void transpose_any_size(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
    __shared__ float tile[ROWS][TILE_DIM + 1];

    // Good: the next block writes on in the same rows of the output.
    int tiles_down = (height + SECTOR_FLOATS - 1 + TILE_DIM - 1) / TILE_DIM;
    int left = blockIdx.x / tiles_down * TILE_DIM;
    int top = blockIdx.x % tiles_down * TILE_DIM - SECTOR_FLOATS;

    int x = left + threadIdx.x, y = top + threadIdx.y;
    const float* from = input + static_cast<ptrdiff_t>(y) * width + x;

    // Good: all loads of a thread are in flight before the first is used.
    float values[ANY_SIZE_LOADS];
    for (int i = 0; i < ANY_SIZE_LOADS;
        ++i, y += BLOCK_ROWS, from += BLOCK_ROWS * static_cast<ptrdiff_t>(width))
        values[i] = x < width && y >= 0 && y < height ? *from : 0;
    for (int i = 0; i < ANY_SIZE_LOADS; ++i)
        tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = left + threadIdx.y;
    float* begin = output + static_cast<size_t>(x) * height;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each in a bank of its own.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS, begin += BLOCK_ROWS * static_cast<size_t>(height)) {
        // Good: they begin with a sector of the row.
        int back = reinterpret_cast<uintptr_t>(begin) / sizeof(float) % SECTOR_FLOATS;
        int row = SECTOR_FLOATS - back + threadIdx.x;
        y = top + row;
        if (x + j < width && y >= 0 && y < height)
            begin[y] = tile[row][threadIdx.y + j];
    }
}
// [/transpose_any_size]

// [load_prefetching]
// A load that asks the L2 for all 256 bytes around it. CUDA C++ has no word for that; PTX has.
__device__ float load_prefetching(const float* from)
{
#if __CUDA_ARCH__ < 800
    return *from;
#else
    float value;
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
#endif
}
// [/load_prefetching]

// [transpose_prefetching]
__global__ void transpose_prefetching(float* output, const float* input, int width, int height)
{
    // The column that nobody uses moves each row on by a bank.
    __shared__ float tile[ROWS][TILE_DIM + 1];

    // Good: the next block writes on in the same rows of the output.
    int tiles_down = (height + SECTOR_FLOATS - 1 + TILE_DIM - 1) / TILE_DIM;
    int left = blockIdx.x / tiles_down * TILE_DIM;
    int top = blockIdx.x % tiles_down * TILE_DIM - SECTOR_FLOATS;

    int x = left + threadIdx.x, y = top + threadIdx.y;
    const float* from = input + static_cast<ptrdiff_t>(y) * width + x;

    // Good: all loads of a thread are in flight before the first is used.
    // Good: the rest of the 256 bytes comes with them, for the block of the next column of tiles.
    float values[ANY_SIZE_LOADS];
    for (int i = 0; i < ANY_SIZE_LOADS;
        ++i, y += BLOCK_ROWS, from += BLOCK_ROWS * static_cast<ptrdiff_t>(width))
        values[i] = x < width && y >= 0 && y < height ? load_prefetching(from) : 0;
    for (int i = 0; i < ANY_SIZE_LOADS; ++i)
        tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];

    // Each thread goes on with elements that others wrote.
    __syncthreads();

    // The same tile in the output: the blocks change places.
    x = left + threadIdx.y;
    float* begin = output + static_cast<size_t>(x) * height;

    // Good: the lanes write neighboring elements of a row.
    // Good: they read a column of the tile, each in a bank of its own.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS, begin += BLOCK_ROWS * static_cast<size_t>(height)) {
        // Good: they begin with a sector of the row.
        int back = reinterpret_cast<uintptr_t>(begin) / sizeof(float) % SECTOR_FLOATS;
        int row = SECTOR_FLOATS - back + threadIdx.x;
        y = top + row;
        if (x + j < width && y >= 0 && y < height)
            begin[y] = tile[row][threadIdx.y + j];
    }
}
// [/transpose_prefetching]
