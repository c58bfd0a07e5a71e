// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A kernel without a bank conflict, of which a counter of bank conflicts counts many.

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

// [conflict_counter]
__global__ void conflict_counter(float* output, const float* input, int size)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * size + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        output[(y + j) * size + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/conflict_counter]

int main()
{
    constexpr int SIZE = 2048;
    std::vector<float> host(SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; ++i) host[i] = static_cast<float>(i);
    float *input, *output;
    cudaMalloc(&input, host.size() * sizeof(float));
    cudaMalloc(&output, host.size() * sizeof(float));
    cudaMemcpy(input, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    conflict_counter<<<dim3(SIZE / 32, SIZE / 32), dim3(32, 8)>>>(output, input, SIZE);
    cudaMemcpy(host.data(), output, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int row = 0; row < SIZE; ++row)
        for (int column = 0; column < SIZE; ++column)
            wrong += host[row * SIZE + column] != static_cast<float>(column * SIZE + row);
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
