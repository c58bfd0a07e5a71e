// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How fast can numbers be added?
//
// No faster than they can be read. The rest of the classic seven steps, and four more, from the kernel that ends the
// chapter reduction_bank_conflicts to one that reads at the speed of memory and needs a single launch.

#include <conflict_free/array_chapter.hpp>

#include "sums_of_all.hpp"

// [constants]
constexpr int BLOCK = 256;
// Threads that a multiprocessor has at a time, in whole blocks.
constexpr int THREADS_AT_ONCE = 2048;
// 16-byte loads that a thread has in flight.
constexpr int LOADS = 4;
// More blocks than any grid has that reads its input in steps.
constexpr int MOST_BLOCKS = 4096;
// [/constants]

// [warp_sum]
// Lane 0 gets the sum over its warp: 16 lanes bring theirs to the
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

    // Good: LOADS independent loads are under way before the first
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
    // The last step of a block may be cut.
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

// [reduce_first_add]
__global__ void reduce_first_add(float* sums, const float* numbers, int n)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * BLOCK) + tid;
    // Good: no thread is there to load alone. Each adds two numbers
    // on their way in, and half the blocks do.
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
    // Good: what is left is for one warp, whose lanes hand each
    // other their sums. The other warps wait for nobody.
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

    // Good: all warps do as the last one did. Shared memory holds
    // one number a warp.
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
    // numbers. A block's own sum is paid for once, not once for
    // every 512 numbers.
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

// [reduce_packed_flags]
// A block's sum in the lower half; the upper half is 1 while it is
// there. All are 0 between launches.
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

// While a launch takes most of the time, more and smaller blocks
// start sooner. Where memory does, more loads in flight count.
void add_with_flags(const Floats& arrays)
{
    if (arrays.n < 1 << 24)
        add_by_mail<512, 2>(arrays);
    else
        add_by_mail<1024, 4>(arrays);
}
// [/launch]

// [entry]
using namespace conflict_free;

int main(int argc, char** argv)
{
    ArrayChapter chapter("reduction_to_the_limit", "How fast can numbers be added?");
    chapter.lengths({1048576, 100003, 513, 512, 511, 257, 5, 4, 3, 1, 0});
    chapter.gpu_lengths({65536, 262144, 1048573, 2097152, 4194304, 16777216, 67108864, 268435456, 1073741821, 1073741824});
    chapter.counted_length(1048576);
    chapter.traffic_lengths({4194304});

    auto& floats = chapter.arrays<float, float>(one_sum, sums_between_launches);
    const auto add = [&](const char* name, auto launch, auto check) -> auto& {
        return floats.kernel(name, launch, check).figures(error_of_sum);
    };
    add("reduce_first_add", add_up<reduce_first_add>, every_launch_is_right)
        .expect(shared_load.wavefronts_per_block == 25)
        .expect(shared_load.conflicts == 0)
        .expect(barriers_per_block == 9);
    add("reduce_last_warp", add_up<reduce_last_warp>, every_launch_is_right)
        .expect(shared_load.wavefronts_per_block == 14)
        .expect(barriers_per_block == 3);
    add("reduce_unrolled", add_up<reduce_unrolled<BLOCK>>, every_launch_is_right)
        .expect(shared_load.wavefronts_per_block == 1)
        .expect(barriers_per_block == 1);
    add("reduce_many_elements", add_in_two<reduce_many_elements<BLOCK>, BLOCK>, sum_is_right)
        .expect(global_load.sectors_over_ideal == 1)
        .expect(barriers_per_block == 1);
    add("reduce_vector", add_in_two<reduce_vector<BLOCK>, 4 * LOADS * BLOCK>, sum_is_right)
        .expect(global_load.sectors_over_ideal == 1)
        .expect(barriers_per_block == 1);
    add("reduce_one_launch", add_in_one, sum_is_right)
        .expect(global_load.sectors_over_ideal == 1)
        .expect(global_atomic.requests_per_block == 1);
    add("reduce_packed_flags", add_with_flags, sum_is_right)
        .expect(global_load.sectors_over_ideal <= 1)
        .expect(global_store.requests == 1);

    return chapter.run(argc, argv);
}
// [/entry]
