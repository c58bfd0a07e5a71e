// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A control that is checked against its own output: it copies, and should transpose in the tile.

#include <cstdio>
#include <cuda_runtime.h>

// [self_verified]
__global__ void self_verified(float* output, const float* input, int size)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = input[threadIdx.y * size + threadIdx.x];
    __syncthreads();
    output[threadIdx.y * size + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
// [/self_verified]

int main()
{
    float *input, *output, own[1024];
    cudaMallocManaged(&input, 1024 * sizeof(float));
    cudaMallocManaged(&output, 1024 * sizeof(float));
    for (int i = 0; i < 1024; ++i) input[i] = static_cast<float>(i + 1);
    self_verified<<<1, dim3(32, 32)>>>(output, input, 32);
    cudaDeviceSynchronize();
    for (int i = 0; i < 1024; ++i) own[i] = output[i];
    int against_itself = 0, wrong = 0;
    for (int i = 0; i < 1024; ++i) {
        against_itself += output[i] != own[i];
        wrong += output[i] != input[i % 32 * 32 + i / 32];
    }
    std::printf("against itself %d elements are wrong, against a reference %d\n", against_itself, wrong);
    return wrong != 0;
}
