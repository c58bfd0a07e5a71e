// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The sums of a warp, of a block, and of one thread's share.
#pragma once

// [warp_sum]
// Lane 0 gets the sum over its warp: 16 lanes pass theirs to the
// other 16, then 8 to 8, and so on. No shared memory, no barrier.
__device__ float warp_sum(float sum)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, lanes);
    return sum;
}
// [/warp_sum]

// [block_sum]
// Thread 0 gets the sum over its block. The number of threads is
// known to the compiler, which leaves no loop and one barrier.
template <int THREADS>
__device__ float block_sum(float sum)
{
    __shared__ float partial[THREADS / 32];
    int tid = threadIdx.x;
    sum = warp_sum(sum);
    if (tid % 32 == 0)
        partial[tid / 32] = sum;
    __syncthreads();
    if (tid < 32)
        sum = warp_sum(tid < THREADS / 32 ? partial[tid] : 0);
    return sum;
}
// [/block_sum]

// [add_to]
__device__ void add_to(float4& sum, float4 numbers)
{
    sum.x += numbers.x;
    sum.y += numbers.y;
    sum.z += numbers.z;
    sum.w += numbers.w;
}
// [/add_to]

// [thread_sum]
// The sum of a thread's share of the numbers, which begin at a
// multiple of 16 bytes, as all memory from cudaMalloc does.
template <int THREADS, int LOADS>
__device__ float thread_sum(const float* numbers, unsigned n)
{
    const float4* fours = reinterpret_cast<const float4*>(numbers);
    unsigned count = n / 4;
    unsigned i = blockIdx.x * (THREADS * LOADS) + threadIdx.x;
    float4 sum = make_float4(0, 0, 0, 0);

    // Good: LOADS independent loads are in flight before the first
    // addition waits for one.
    for (; i + (LOADS - 1) * THREADS < count; i += gridDim.x * (THREADS * LOADS)) {
        float4 read[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            read[k] = fours[i + k * THREADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            add_to(sum, read[k]);
    }
    // The last step of a block may be incomplete.
#pragma unroll
    for (int k = 0; k < LOADS; ++k)
        if (i + k * THREADS < count)
            add_to(sum, fours[i + k * THREADS]);
    float rest = 0;
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        rest = numbers[4 * count + threadIdx.x];
    return (sum.x + sum.y) + (sum.z + sum.w) + rest;
}
// [/thread_sum]
