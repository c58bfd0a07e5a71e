// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A 16-wide tile padded to 17, called conflict-free: it is on 16 banks.

#include <cstdio>
#include <cuda_runtime.h>

// [tile_16_by_17]
__global__ void tile_16_by_17(float* output, const float* input)
{
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = input[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    output[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// [/tile_16_by_17]

int main()
{
    constexpr int W = 16, H = 16;
    float *input, *output;
    cudaMallocManaged(&input, W * H * sizeof(float));
    cudaMallocManaged(&output, W * H * sizeof(float));
    for (int i = 0; i < W * H; ++i) {
        input[i] = static_cast<float>(i + 1);
        output[i] = -1;
    }
    tile_16_by_17<<<1, dim3(16, 16)>>>(output, input);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < W; ++row)
        for (int column = 0; column < H; ++column)
            wrong += output[row * H + column] != input[column * W + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
