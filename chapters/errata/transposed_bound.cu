// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A bound that tests transposed coordinates: right for every square matrix.

#include <cstdio>
#include <cuda_runtime.h>

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
    constexpr int W = 64, H = 32;
    float *input, *output;
    cudaMallocManaged(&input, W * H * sizeof(float));
    cudaMallocManaged(&output, W * H * sizeof(float));
    for (int i = 0; i < W * H; ++i) {
        input[i] = static_cast<float>(i + 1);
        output[i] = -1;
    }
    transposed_bound<<<dim3(2, 1), dim3(32, 32)>>>(output, input, W, H);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < W; ++row)
        for (int column = 0; column < H; ++column)
            wrong += output[row * H + column] != input[column * W + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
