// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The first add during the load reads past the end unless n is a multiple of twice the block.

#include "small_checks.cuh"

// [add_past_the_end]
__global__ void add_past_the_end(int* sums, const int* input)
{
    __shared__ int part[128];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = input[i] + input[i + 128];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/add_past_the_end]

int main()
{
    return adds_wrongly(400, [](int* sums, const int* input) { add_past_the_end<<<2, 128>>>(sums, input); });
}
