// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Each warp gets one bank": each lane gets its own.

#include "small_checks.cuh"

// [sequential_addressing]
__global__ void sequential_addressing(int* sums, const int* input)
{
    __shared__ int part[256];
    part[threadIdx.x] = input[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/sequential_addressing]

int main()
{
    return adds_wrongly(512, [](int* sums, const int* input) { sequential_addressing<<<2, 256>>>(sums, input); });
}
