// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What does it cost to add up the rows of a matrix?
//
// Every element is read once, however the work is divided. The division decides which elements the lanes of a warp
// read together.

#include <cuda_runtime.h>

constexpr int THREADS = 64;

// BEGIN SOLUTION
constexpr int LANES = 32;
constexpr int ROWS_OF_A_BLOCK = THREADS / LANES;

// A warp takes each row.
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

    // Each round adds the sums of the upper half of the lanes to those of the lower half, in registers.
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);

    if (lane == 0)
        sums[row] = sum;
}
// INSTEAD
// |// A thread takes each row.
// |__global__ void add_up_rows(float* sums, const float* matrix, int width, int height)
// |{
// |    int row = blockIdx.x * THREADS + threadIdx.x;
// |    if (row >= height)
// |        return;
// |
// |    float sum = 0;
// |    for (int x = 0; x < width; x++)
// |        sum += matrix[row * width + x];
// |
// |    sums[row] = sum;
// |}
// END SOLUTION

// sums: one float for each row. matrix: height rows of width floats, row after row. Both are in device memory.
void sum_rows(float* sums, const float* matrix, int width, int height)
{
    // BEGIN SOLUTION
    int blocks = (height + ROWS_OF_A_BLOCK - 1) / ROWS_OF_A_BLOCK;
    // INSTEAD
    // |    int blocks = (height + THREADS - 1) / THREADS;
    // END SOLUTION
    add_up_rows<<<blocks, THREADS>>>(sums, matrix, width, height);
}
