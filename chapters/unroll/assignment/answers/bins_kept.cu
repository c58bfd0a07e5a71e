// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Wrong: all blocks add to counters that no call sets back. The first call is right, the next counts on.

#include <cstdint>
#include <cuda_runtime.h>

constexpr int BINS = 256;
constexpr int THREADS = 256;

constexpr int LOADS = 4;        // of 16 bytes, for each thread
constexpr int WIDE = 16;

__device__ unsigned total[BINS];

__device__ void count_word(unsigned* bins, unsigned word)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[(word >> (8 * byte)) & 0xff], 1);
}

__global__ void count_values(const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[BINS];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    // The bytes before the first address that is a multiple of 16, and those behind the last whole 16.
    int head = min(count, int((WIDE - reinterpret_cast<std::uintptr_t>(values) % WIDE) % WIDE));
    int wides = (count - head) / WIDE;
    int tail = head + wides * WIDE;
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&block_bins[values[threadIdx.x]], 1);
    if (blockIdx.x == 0 && threadIdx.x < count - tail)
        atomicAdd(&block_bins[values[tail + threadIdx.x]], 1);

    // Good: 16 bytes a lane, and neighboring lanes read neighboring ones. No load waits for another.
    const uint4* body = reinterpret_cast<const uint4*>(values + head);
    int first = blockIdx.x * LOADS * THREADS + threadIdx.x;
    uint4 loaded[LOADS];
    for (int i = 0; i < LOADS; i++)
        if (first + i * THREADS < wides)
            loaded[i] = body[first + i * THREADS];

    for (int i = 0; i < LOADS; i++)
        if (first + i * THREADS < wides) {
            count_word(block_bins, loaded[i].x);
            count_word(block_bins, loaded[i].y);
            count_word(block_bins, loaded[i].z);
            count_word(block_bins, loaded[i].w);
        }

    __syncthreads();

    // One addition for each bin of a block, and a block has counted 16 KiB.
    atomicAdd(&total[threadIdx.x], block_bins[threadIdx.x]);
}

__global__ void hand_out(unsigned* bins)
{
    bins[threadIdx.x] = total[threadIdx.x];
}

// bins: 256 counters, in device memory, which hold anything. values: count bytes in device memory, at any address.
void histogram(unsigned* bins, const unsigned char* values, int count)
{
    constexpr int BYTES_OF_A_BLOCK = LOADS * THREADS * WIDE;
    int blocks = (count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK;
    count_values<<<blocks, THREADS>>>(values, count);
    hand_out<<<1, BINS>>>(bins);
}
