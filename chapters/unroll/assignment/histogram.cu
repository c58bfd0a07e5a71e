// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What does a histogram gain from more work for each thread?
//
// A block counts in its own bins in shared memory, and adds them to the bins in global memory once, at its end. How
// often is that, and for how many bytes?

#include <cstdint>
#include <cuda_runtime.h>

constexpr int BINS = 256;
constexpr int THREADS = 256;

// BEGIN SOLUTION
constexpr int LOADS = 4;        // of 16 bytes, for each thread
constexpr int WIDE = 16;

__device__ void count_word(unsigned* bins, unsigned word)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[(word >> (8 * byte)) & 0xff], 1);
}

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[BINS];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    // One byte at a time is read before the first multiple of 16 and behind the last whole 16.
    int head = min(count, int((WIDE - reinterpret_cast<std::uintptr_t>(values) % WIDE) % WIDE));
    int wides = (count - head) / WIDE;
    int tail = head + wides * WIDE;
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&block_bins[values[threadIdx.x]], 1);
    if (blockIdx.x == 0 && threadIdx.x < count - tail)
        atomicAdd(&block_bins[values[tail + threadIdx.x]], 1);

    // Good: each lane reads 16 bytes, and neighboring lanes read neighboring bytes. No load waits for another.
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

    // A block makes one addition for each bin, after it has counted 16 KiB.
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}
// INSTEAD
// |__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
// |{
// |    __shared__ unsigned block_bins[BINS];
// |    block_bins[threadIdx.x] = 0;
// |    __syncthreads();
// |
// |    int i = blockIdx.x * THREADS + threadIdx.x;
// |    if (i < count)
// |        atomicAdd(&block_bins[values[i]], 1);
// |
// |    __syncthreads();
// |    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
// |}
// END SOLUTION

// bins: 256 counters, in device memory, which hold anything. values: count bytes in device memory, at any address.
void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    // BEGIN SOLUTION
    constexpr int BYTES_OF_A_BLOCK = LOADS * THREADS * WIDE;
    int blocks = (count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK;
    // INSTEAD
    // |    int blocks = (count + THREADS - 1) / THREADS;
    // END SOLUTION
    count_values<<<blocks, THREADS>>>(bins, values, count);
}
