// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A barrier that only the threads inside the matrix reach.

#include "small_checks.cuh"

// [barrier_under_guard]
__global__ void barrier_under_guard(float* output, const float* input, int width, int height)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) {
        tile[y][x] = input[y * width + x];
        __syncthreads();
        output[x * height + y] = tile[y][x];
    }
}
// [/barrier_under_guard]

int main()
{
    return transposes_wrongly(30, 20, [](float* output, const float* input) {
        barrier_under_guard<<<1, dim3(32, 32)>>>(output, input, 30, 20);
    });
}
