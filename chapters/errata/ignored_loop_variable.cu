// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A copy that ignores its loop variable: it copies a quarter of the tile, again and again.

#include <cstdio>
#include <cuda_runtime.h>

// [ignored_loop_variable]
__global__ void ignored_loop_variable(float* output, const float* input, int size)
{
    __shared__ float tile[32][32];
    int i = threadIdx.y * size + threadIdx.x;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y][threadIdx.x] = input[i];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        output[i] = tile[threadIdx.y][threadIdx.x];
}
// [/ignored_loop_variable]

__global__ void copy(float* output, const float* input) { output[blockIdx.x * 32 + threadIdx.x] = input[blockIdx.x * 32 + threadIdx.x]; }

int differences(const float* output, const float* input)
{
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 1024; ++i) wrong += output[i] != input[i];
    return wrong;
}

int main()
{
    float *input, *output;
    cudaMallocManaged(&input, 1024 * sizeof(float));
    cudaMallocManaged(&output, 1024 * sizeof(float));
    for (int i = 0; i < 1024; ++i) input[i] = static_cast<float>(i + 1);
    copy<<<32, 32>>>(output, input);
    ignored_loop_variable<<<1, dim3(32, 8)>>>(output, input, 32);
    std::printf("on the leftovers of a copy: %d elements are wrong\n", differences(output, input));
    for (int i = 0; i < 1024; ++i) output[i] = -1;
    ignored_loop_variable<<<1, dim3(32, 8)>>>(output, input, 32);
    int wrong = differences(output, input);
    std::printf("on a poisoned output: %d elements are wrong\n", wrong);
    return wrong != 0;
}
