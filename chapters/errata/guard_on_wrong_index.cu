// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A guard that tests the wrong index: the tail of shared memory is read uninitialized.

#include "small_checks.cuh"

// [guard_on_wrong_index]
__global__ void guard_on_wrong_index(int* sums, const int* input, int n)
{
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) part[threadIdx.x] = input[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s && blockDim.x * blockIdx.x + s < n)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
// [/guard_on_wrong_index]

int main()
{
    return adds_wrongly(220, [](int* sums, const int* input) { guard_on_wrong_index<<<2, 128>>>(sums, input, 220); });
}
