// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A repetition loop with one barrier: the next stores race with these loads. The output is right.

#include <cstdio>
#include <cuda_runtime.h>

// [repetition_race]
__global__ void repetition_race(float* output, const float* input, int size, int repetitions)
{
    __shared__ float tile[32][33];
    for (int r = 0; r < repetitions; ++r) {
        for (int j = threadIdx.y; j < size; j += blockDim.y)
            tile[j][threadIdx.x] = input[j * size + threadIdx.x];
        __syncthreads();
        for (int j = threadIdx.y; j < size; j += blockDim.y)
            output[j * size + threadIdx.x] = tile[threadIdx.x][j];
    }
}
// [/repetition_race]

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
    repetition_race<<<1, dim3(32, 8)>>>(output, input, 32, 2);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < W; ++row)
        for (int column = 0; column < H; ++column)
            wrong += output[row * H + column] != input[column * W + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
