// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A tail that assumes lanes in lockstep, without __syncwarp().

#include "small_checks.cuh"

// [tail_without_syncwarp]
__global__ void tail_without_syncwarp(int* sums, const int* input)
{
    extern __shared__ int part[];
    part[threadIdx.x] = input[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 32; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        volatile int* tail = part;
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 32];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 16];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 8];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 4];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 2];
        tail[threadIdx.x] = tail[threadIdx.x] + tail[threadIdx.x + 1];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/tail_without_syncwarp]

int main()
{
    return adds_wrongly(256, [](int* sums, const int* input) { tail_without_syncwarp<<<2, 128, 128 * sizeof(int)>>>(sums, input); });
}
