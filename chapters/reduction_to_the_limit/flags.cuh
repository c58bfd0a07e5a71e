// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One launch whose blocks hand over their sums with a flag.
#pragma once

// [reduce_packed_flags]
// A block's sum is in the lower half. The upper half is 1 while the
// sum is there. All words are 0 between launches.
__device__ unsigned long long mail[MOST_BLOCKS];

template <int THREADS, int LOADS>
__global__ void __launch_bounds__(THREADS)
    reduce_packed_flags(float* output, const float* numbers, unsigned n)
{
    unsigned tid = threadIdx.x, last = gridDim.x - 1;
    float sum = block_sum<THREADS>(thread_sum<THREADS, LOADS>(numbers, n));

    // Good: flag and sum arrive together, so nothing has to be
    // ordered by a fence, and no block waits for an answer.
    if (blockIdx.x != last) {
        if (tid == 0)
            atomicExch(&mail[blockIdx.x], 1ull << 32 | __float_as_uint(sum));
        return;
    }
    // The last block waits for each sum, and takes it.
    if (tid != 0)
        sum = 0;
    for (unsigned b = tid; b < last; b += THREADS) {
        unsigned long long letter;
        do
            letter = atomicExch(&mail[b], 0);
        while (letter == 0);
        sum += __uint_as_float(static_cast<unsigned>(letter));
    }
    __syncthreads();
    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        *output = sum;
}
// [/reduce_packed_flags]

// [wait_for_kernel_before]
// Returns when the kernel before this one has ended and what it wrote
// is there to be read. Before Hopper no block starts earlier than that.
__device__ void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
// [/wait_for_kernel_before]

// [reduce_dependent_launch]
template <int THREADS, int LOADS>
__global__ void __launch_bounds__(THREADS)
    reduce_dependent_launch(float* output, const float* numbers, unsigned n)
{
    // Good: while the kernel before this one ends, the blocks are
    // made ready. Here they wait, before anything is read.
    wait_for_kernel_before();

    unsigned tid = threadIdx.x, last = gridDim.x - 1;
    float sum = block_sum<THREADS>(thread_sum<THREADS, LOADS>(numbers, n));

    // Good: flag and sum arrive together, so nothing has to be
    // ordered by a fence, and no block waits for an answer.
    if (blockIdx.x != last) {
        if (tid == 0)
            atomicExch(&mail[blockIdx.x], 1ull << 32 | __float_as_uint(sum));
        return;
    }
    // The last block waits for each sum, and takes it.
    if (tid != 0)
        sum = 0;
    for (unsigned b = tid; b < last; b += THREADS) {
        unsigned long long letter;
        do
            letter = atomicExch(&mail[b], 0);
        while (letter == 0);
        sum += __uint_as_float(static_cast<unsigned>(letter));
    }
    __syncthreads();
    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        *output = sum;
}
// [/reduce_dependent_launch]
