// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// All lanes read one word: no conflict, though all are in one bank.

#include <cstdio>
#include <cuda_runtime.h>

// [broadcast]
__global__ void broadcast(int* output)
{
    __shared__ int word[32];
    word[threadIdx.x] = threadIdx.x;
    __syncthreads();
    output[threadIdx.x] = word[7];
}
// [/broadcast]

int main()
{
    int* output;
    cudaMallocManaged(&output, 32 * sizeof(int));
    broadcast<<<1, 32>>>(output);
    cudaDeviceSynchronize();
    return 0;
}
