// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Subtracts from each number of a matrix the smallest number of its row.
//
// One block works on one row. It goes through the row twice: once to find the smallest number, once to subtract it.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

// Stores the smallest of all threads' numbers in smallest[0].
__device__ void find_smallest(int* smallest, int mine)
{
    int tid = threadIdx.x;
    smallest[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            smallest[tid] = min(smallest[tid], smallest[tid + s]);
        __syncthreads();
    }
}

// BEGIN SOLUTION
// 64 integers are 256 bytes: one partition.
constexpr int PARTITION = 64;

// Returns the column that is `step` columns behind `shift`, round the end of the row.
__device__ int column_of(int step, int shift, int width)
{
    int column = step + shift;
    return column < width ? column : column - width;
}

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest[BLOCK];
    size_t row = (size_t)blockIdx.x * width;

    // Neighboring blocks begin one partition apart.
    int partitions = max(1, width / PARTITION);
    int shift = blockIdx.x % partitions * PARTITION;

    int mine = INT_MAX;
    for (int step = threadIdx.x; step < width; step += BLOCK)
        mine = min(mine, input[row + column_of(step, shift, width)]);
    find_smallest(smallest, mine);

    for (int step = threadIdx.x; step < width; step += BLOCK) {
        int column = column_of(step, shift, width);
        output[row + column] = input[row + column] - smallest[0];
    }
}
// INSTEAD
// |__global__ void subtract_smallest(int* output, const int* input, int width)
// |{
// |    __shared__ int smallest[BLOCK];
// |    size_t row = (size_t)blockIdx.x * width;
// |
// |    int mine = INT_MAX;
// |    for (int column = threadIdx.x; column < width; column += BLOCK)
// |        mine = min(mine, input[row + column]);
// |    find_smallest(smallest, mine);
// |
// |    for (int column = threadIdx.x; column < width; column += BLOCK)
// |        output[row + column] = input[row + column] - smallest[0];
// |}
// END SOLUTION

// Works on all rows, each of width integers. Device memory; width and height are at least 1.
void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}
