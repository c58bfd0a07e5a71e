// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Asks for 256 counters of its own for each byte.

#include <cstddef>
#include <cuda_runtime.h>

__global__ void mark(unsigned* marks, const unsigned char* values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        marks[std::size_t(values[i]) * count + i] = 1;
}

__global__ void add_up(unsigned* bins, const unsigned* marks, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum += marks[std::size_t(threadIdx.x) * count + i];
    bins[threadIdx.x] = sum;
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    unsigned* marks;
    std::size_t bytes = sizeof(unsigned) * 256 * std::size_t(count) * 64;
    cudaMalloc(&marks, bytes);
    cudaMemset(marks, 0, bytes);
    mark<<<(count + 255) / 256, 256>>>(marks, values, count);
    add_up<<<1, 256>>>(bins, marks, count);
    cudaFree(marks);
}
