// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Right, with few additions: one block does everything, and the rest of the GPU watches.

#include <cstdint>
#include <cuda_runtime.h>

__device__ void count_four(unsigned* bins, unsigned four)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[four >> (8 * byte) & 255], 1);
}

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[256];
    if (threadIdx.x < 256)
        block_bins[threadIdx.x] = 0;
    __syncthreads();

    int head = min(count, int(-reinterpret_cast<std::uintptr_t>(values) % 16));
    int wides = (count - head) / 16, tail = head + wides * 16;
    if (threadIdx.x < head)
        atomicAdd(&block_bins[values[threadIdx.x]], 1);
    if (threadIdx.x < count - tail)
        atomicAdd(&block_bins[values[tail + threadIdx.x]], 1);
    for (int i = threadIdx.x; i < wides; i += blockDim.x) {
        uint4 wide = reinterpret_cast<const uint4*>(values + head)[i];
        count_four(block_bins, wide.x);
        count_four(block_bins, wide.y);
        count_four(block_bins, wide.z);
        count_four(block_bins, wide.w);
    }

    __syncthreads();
    if (threadIdx.x < 256)
        bins[threadIdx.x] = block_bins[threadIdx.x];
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    count_values<<<1, 1024>>>(bins, values, count);
}
