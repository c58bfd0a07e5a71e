// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A 16-byte access takes 4 wavefronts a warp at least, and none of them is a conflict.

#include <cstdio>
#include <cuda_runtime.h>

// [sixteen_bytes]
__global__ void sixteen_bytes(int4* output)
{
    __shared__ int4 words[32];
    words[threadIdx.x] = make_int4(threadIdx.x, 1, 2, 3);
    __syncthreads();
    output[threadIdx.x] = words[threadIdx.x];
}
// [/sixteen_bytes]

int main()
{
    int* output;
    cudaMallocManaged(&output, 128 * sizeof(int));
    sixteen_bytes<<<1, 32>>>(reinterpret_cast<int4*>(output));
    cudaDeviceSynchronize();
    return 0;
}
