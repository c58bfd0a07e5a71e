// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A guard that tests where the output goes, for the load as well.

#include "small_checks.cuh"

// [guard_on_output]
__global__ void guard_on_output(float* output, const float* input, int width, int height)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    if (x < height && y < width)
        tile[y][x] = input[y * width + x];
    __syncthreads();
    if (x < height && y < width)
        output[y * height + x] = tile[x][y];
}
// [/guard_on_output]

int main()
{
    return transposes_wrongly(30, 20, [](float* output, const float* input) {
        guard_on_output<<<1, dim3(32, 32)>>>(output, input, 30, 20);
    });
}
