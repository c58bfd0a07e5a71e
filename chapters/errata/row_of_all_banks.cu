// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Rows padded to a multiple of all banks: the opposite of what helps.

#include <cstdio>
#include <cuda_runtime.h>

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
    constexpr int W = 32, H = 32;
    float *input, *output;
    cudaMallocManaged(&input, W * H * sizeof(float));
    cudaMallocManaged(&output, W * H * sizeof(float));
    for (int i = 0; i < W * H; ++i) {
        input[i] = static_cast<float>(i + 1);
        output[i] = -1;
    }
    row_of_all_banks<<<1, dim3(32, 32)>>>(output, input);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < W; ++row)
        for (int column = 0; column < H; ++column)
            wrong += output[row * H + column] != input[column * W + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
