// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Which words does the second step of the strided reduction touch? The kernel writes them down.

#include <cstdio>
#include <cuda_runtime.h>

// [step_two_addresses]
__global__ void step_two_addresses(int2* touched, int* sum)
{
    __shared__ int part[128];
    for (int i = threadIdx.x; i < 128; i += 32) part[i] = i;
    __syncwarp();

    // s is 1 in the first step, and 2 in the second.
    int s = 2, at = 2 * s * threadIdx.x;
    touched[threadIdx.x] = make_int2(at, at + s);
    part[at] += part[at + s];
    sum[threadIdx.x] = part[at];
}
// [/step_two_addresses]

int main()
{
    int2* touched;
    int* sum;
    cudaMallocManaged(&touched, 32 * sizeof(int2));
    cudaMallocManaged(&sum, 32 * sizeof(int));
    step_two_addresses<<<1, 32>>>(touched, sum);
    cudaDeviceSynchronize();

    // The lanes that share bank 0, as counted by hand.
    const int lanes[] = {0, 8, 16, 24}, first[] = {0, 32, 64, 96}, second[] = {2, 34, 66, 98};
    int wrong = 0;
    for (int i = 0; i < 4; ++i) {
        int2 at = touched[lanes[i]];
        std::printf("lane %d adds word %d and word %d, bank %d\n", lanes[i], at.x, at.y, at.x % 32);
        wrong += at.x != first[i] || at.y != second[i] || sum[lanes[i]] != at.x + at.y;
    }
    return wrong != 0;
}
