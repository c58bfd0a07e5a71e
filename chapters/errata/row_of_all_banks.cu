// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Rows padded to a multiple of all banks: the opposite of what helps.

#include "small_checks.cuh"

// [row_of_all_banks]
__global__ void row_of_all_banks(float* output, const float* input)
{
    __shared__ float tile[32][64];
    tile[threadIdx.y][threadIdx.x] = input[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    output[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// [/row_of_all_banks]

int main()
{
    return transposes_wrongly(32, 32, [](float* output, const float* input) {
        row_of_all_banks<<<1, dim3(32, 32)>>>(output, input);
    });
}
