// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A bound that tests transposed coordinates: right for every square matrix.

#include "small_checks.cuh"

// [transposed_bound]
__global__ void transposed_bound(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < height && y < width)
        output[x * height + y] = input[y * width + x];
}
// [/transposed_bound]

int main()
{
    return transposes_wrongly(64, 32, [](float* output, const float* input) {
        transposed_bound<<<dim3(2, 1), dim3(32, 32)>>>(output, input, 64, 32);
    });
}
