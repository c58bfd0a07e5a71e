// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What limits the speed of a sum, if the arithmetic does not?
//
// For many numbers the bytes in flight, for few the launches. The rest of the classic seven steps,
// and four more, from where reduction_bank_conflicts ends to the speed of memory in one launch.

#include <conflict_free/array_chapter.hpp>

#include "sums_of_all.hpp"

// [constants]
constexpr int BLOCK = 256;
// Threads that a multiprocessor has at a time, in whole blocks.
constexpr int THREADS_AT_ONCE = 2048;
// 16-byte loads that a thread has in flight.
constexpr int LOADS = 4;
// Grids that read their input in steps have fewer blocks.
constexpr int MOST_BLOCKS = 4096;
// [/constants]

#include "sums_in_a_block.cuh"

// [reduce_first_add]
__global__ void reduce_first_add(float* sums, const float* numbers, int n)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * BLOCK) + tid;
    // Good: no thread only loads. Each adds two numbers on their
    // way in, so half as many blocks are enough.
    partial[tid] = (i < n ? numbers[i] : 0) + (i + BLOCK < n ? numbers[i + BLOCK] : 0);
    __syncthreads();

    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_first_add]

// [reduce_last_warp]
__global__ void reduce_last_warp(float* sums, const float* numbers, int n)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * BLOCK) + tid;
    partial[tid] = (i < n ? numbers[i] : 0) + (i + BLOCK < n ? numbers[i + BLOCK] : 0);
    __syncthreads();

    for (int s = BLOCK / 2; s > 32; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    // Good: one warp adds the last 64 numbers. Its lanes hand each
    // other their sums, and the other warps are done.
    if (tid < 32) {
        float sum = warp_sum(partial[tid] + partial[tid + 32]);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
// [/reduce_last_warp]

// [reduce_unrolled]
template <int THREADS>
__global__ void reduce_unrolled(float* sums, const float* numbers, int n)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * THREADS) + tid;
    float sum = (i < n ? numbers[i] : 0) + (i + THREADS < n ? numbers[i + THREADS] : 0);

    // Good: every warp adds by shuffles. Shared memory holds one
    // number for each warp.
    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        sums[blockIdx.x] = sum;
}
// [/reduce_unrolled]

// [reduce_many_elements]
template <int THREADS>
__global__ void reduce_many_elements(float* sums, const float* numbers, unsigned n)
{
    int tid = threadIdx.x;
    float sum = 0;

    // Good: the grid is as large as the GPU, and strides over the
    // numbers. A block adds its threads' sums once, and not once
    // for every 512 numbers.
    for (unsigned i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        sum += numbers[i];

    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        sums[blockIdx.x] = sum;
}
// [/reduce_many_elements]

// [reduce_vector]
template <int THREADS>
__global__ void reduce_vector(float* sums, const float* numbers, unsigned n)
{
    int tid = threadIdx.x;

    // Good: 16 bytes a load, and four loads in flight.
    float sum = thread_sum<THREADS, LOADS>(numbers, n);

    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        sums[blockIdx.x] = sum;
}
// [/reduce_vector]

// [reduce_one_launch]
// Blocks that have left their sum. The last one makes it 0 again.
__device__ unsigned finished;

template <int THREADS>
__global__ void reduce_one_launch(float* output, float* sums, const float* numbers, unsigned n)
{
    __shared__ bool is_last;
    int tid = threadIdx.x;
    float sum = block_sum<THREADS>(thread_sum<THREADS, LOADS>(numbers, n));

    // The fences: whoever sees the count sees the sums behind it.
    if (tid == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;

    // Any block may be the last. It adds in the order of the blocks,
    // not in the order in which they came: the same bits each time.
    sum = 0;
    for (unsigned b = tid; b < gridDim.x; b += THREADS)
        sum += sums[b];
    sum = block_sum<THREADS>(sum);
    if (tid == 0)
        *output = sum;
}
// [/reduce_one_launch]

#include "flags.cuh"

// [launch]
// A block for every `share` numbers, but one at least.
int blocks_of(int n, int share) { return n == 0 ? 1 : n / share + (n % share != 0); }

// The same, but no more than the GPU holds at a time.
int blocks_at_once(int n, int share, int threads)
{
    int most = conflict_free::multiprocessors() * (THREADS_AT_ONCE / threads);
    return std::min({blocks_of(n, share), most, MOST_BLOCKS});
}

using Floats = conflict_free::Arrays<float, float>;

// Launch after launch, until one block can add what is left.
template <auto kernel>
void add_up(const Floats& arrays)
{
    const float* numbers = arrays.input;
    float* sums = arrays.scratch;
    int left = arrays.n;
    while (left > 2 * BLOCK) {
        int blocks = blocks_of(left, 2 * BLOCK);
        kernel<<<blocks, BLOCK>>>(sums, numbers, left);
        numbers = sums;
        sums += blocks;
        left = blocks;
    }
    kernel<<<1, BLOCK>>>(arrays.output, numbers, left);
}

// A launch of as many blocks as the GPU holds, and one that adds
// their sums.
template <auto kernel, int share>
void add_in_two(const Floats& arrays)
{
    int blocks = blocks_at_once(arrays.n, share, BLOCK);
    kernel<<<blocks, BLOCK>>>(arrays.scratch, arrays.input, arrays.n);
    kernel<<<1, BLOCK>>>(arrays.output, arrays.scratch, blocks);
}

void add_in_one(const Floats& arrays)
{
    int blocks = blocks_at_once(arrays.n, 4 * LOADS * BLOCK, BLOCK);
    reduce_one_launch<BLOCK><<<blocks, BLOCK>>>(arrays.output, arrays.scratch, arrays.input, arrays.n);
}

template <int THREADS, int LOADS>
void add_by_mail(const Floats& arrays)
{
    int blocks = blocks_at_once(arrays.n, 4 * LOADS * THREADS, THREADS);
    reduce_packed_flags<THREADS, LOADS><<<blocks, THREADS>>>(arrays.output, arrays.input, arrays.n);
}

// The launch says that the kernel may be made ready early.
template <int THREADS, int LOADS>
void add_early(const Floats& arrays)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks_at_once(arrays.n, 4 * LOADS * THREADS, THREADS);
    config.blockDim = THREADS;
    config.attrs = &early;
    config.numAttrs = conflict_free::compute_capability() >= 90 ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(
        &config, reduce_dependent_launch<THREADS, LOADS>, arrays.output, arrays.input, arrays.n));
}

// While a launch takes most of the time, more and smaller blocks
// start sooner. Where memory does, more loads in flight count.
constexpr int FEW_NUMBERS = 1 << 23;

void add_with_flags(const Floats& arrays)
{
    if (arrays.n < FEW_NUMBERS)
        add_by_mail<512, 2>(arrays);
    else
        add_by_mail<1024, 4>(arrays);
}

void add_with_dependent_launch(const Floats& arrays)
{
    if (arrays.n < FEW_NUMBERS)
        add_early<512, 2>(arrays);
    else
        add_early<1024, 4>(arrays);
}
// [/launch]

// [entry]
using namespace conflict_free;

int main(int argc, char** argv)
{
    ArrayChapter chapter("reduction_to_the_limit", "How fast can numbers be added?");
    chapter.lengths({1048576, 100003, 513, 512, 511, 257, 5, 4, 3, 1, 0});
    // Every power of two from 2^16 on, and lengths that are odd.
    chapter.gpu_lengths({65536, 131072, 262144, 524288, 1048573, 2097152, 4194301, 4194304, 8388608,
        16777216, 33554432, 67108864, 100000007, 134217728, 268435456, 536870912, 1073741821, 1073741824});
    chapter.timed_from(sizeof(float) * 65536);
    chapter.counted_length(1048576);
    chapter.traffic_lengths({4194304});

    auto& floats = chapter.arrays<float, float>(one_sum, sums_between_launches);
    floats.add({.name = "reduce_first_add",
        .launch = add_up<reduce_first_add>,
        .verify = every_launch_is_right,
        .expect = {shared_load.wavefronts_per_block == 25, shared_load.conflicts == 0,
            barriers_per_block == 9},
        .figures = error_of_sum});
    floats.add({.name = "reduce_last_warp",
        .launch = add_up<reduce_last_warp>,
        .verify = every_launch_is_right,
        .expect = {shared_load.wavefronts_per_block == 14, barriers_per_block == 3},
        .figures = error_of_sum});
    floats.add({.name = "reduce_unrolled",
        .launch = add_up<reduce_unrolled<BLOCK>>,
        .verify = every_launch_is_right,
        .expect = {shared_load.wavefronts_per_block == 1, barriers_per_block == 1},
        .figures = error_of_sum});
    floats.add({.name = "reduce_many_elements",
        .launch = add_in_two<reduce_many_elements<BLOCK>, BLOCK>,
        .verify = sum_is_right,
        .expect = {global_load.sectors_over_ideal == 1, barriers_per_block == 1},
        .figures = error_of_sum});
    floats.add({.name = "reduce_vector",
        .launch = add_in_two<reduce_vector<BLOCK>, 4 * LOADS * BLOCK>,
        .verify = sum_is_right,
        .expect = {global_load.sectors_over_ideal == 1, barriers_per_block == 1},
        .figures = error_of_sum});
    floats.add({.name = "reduce_one_launch",
        .launch = add_in_one,
        .verify = sum_is_right,
        .expect = {global_load.sectors_over_ideal == 1, global_atomic.requests_per_block == 1},
        .figures = error_of_sum});
    floats.add({.name = "reduce_packed_flags",
        .launch = add_with_flags,
        .verify = sum_is_right,
        .expect = {global_load.sectors_over_ideal <= 1, global_store.requests == 1},
        .figures = error_of_sum});
    floats.add({.name = "reduce_dependent_launch",
        .launch = add_with_dependent_launch,
        .verify = sum_is_right,
        .expect = {global_load.sectors_over_ideal <= 1, global_store.requests == 1},
        .figures = error_of_sum});

    return chapter.run(argc, argv);
}
// [/entry]
