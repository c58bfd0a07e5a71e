// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A barrier that only the threads inside the matrix reach.

#include <cstdio>
#include <cuda_runtime.h>

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
    constexpr int W = 30, H = 20;
    float *input, *output;
    cudaMallocManaged(&input, W * H * sizeof(float));
    cudaMallocManaged(&output, W * H * sizeof(float));
    for (int i = 0; i < W * H; ++i) {
        input[i] = static_cast<float>(i + 1);
        output[i] = -1;
    }
    barrier_under_guard<<<1, dim3(32, 32)>>>(output, input, W, H);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < W; ++row)
        for (int column = 0; column < H; ++column)
            wrong += output[row * H + column] != input[column * W + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
