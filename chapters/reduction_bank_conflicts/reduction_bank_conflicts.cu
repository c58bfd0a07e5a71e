// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Which threads should add?
//
// A block adds 256 numbers in eight rounds. In each round half of the threads stop. The sum does
// not depend on which threads continue, but the divergence of warps and the bank conflicts do.

#include <conflict_free/array_chapter.hpp>
#include <conflict_free/sums.hpp>

// [constants]
constexpr int BLOCK = 256;
// [/constants]

// [reduce_divergent]
__global__ void reduce_divergent(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Bad: the threads that add are 2s apart, so all eight warps work
    // up to s = 16, with fewer busy lanes in each round.
    for (int s = 1; s < BLOCK; s *= 2) {
        if (tid % (2 * s) == 0)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_divergent]

// [reduce_strided]
__global__ void reduce_strided(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Good: neighboring threads add, in as few warps as possible.
    // Bad: their words are 2s apart, and lie in few banks.
    for (int s = 1; s < BLOCK; s *= 2) {
        int at = 2 * s * tid;
        if (at < BLOCK)
            partial[at] += partial[at + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_strided]

// [reduce_sequential]
__global__ void reduce_sequential(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Good: neighboring threads add neighboring words.
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_sequential]

// [reduce_whole_warps]
__global__ void reduce_whole_warps(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Good: a warp without work jumps over the loads and the store.
    // (Without __syncwarp() the compiler would switch its lanes off.)
    int first_of_warp = tid / 32 * 32;
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (first_of_warp < s) {
            if (tid < s)
                partial[tid] += partial[tid + s];
            __syncwarp();
        }
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_whole_warps]

// [reduce_strided_whole_warps]
__global__ void reduce_strided_whole_warps(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Good: a warp without work jumps over the loads and the store.
    // Bad: the words are 2s apart, and lie in few banks.
    int first_of_warp = tid / 32 * 32;
    for (int s = 1; s < BLOCK; s *= 2) {
        int at = 2 * s * tid;
        if (2 * s * first_of_warp < BLOCK) {
            if (at < BLOCK)
                partial[at] += partial[at + s];
            __syncwarp();
        }
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_strided_whole_warps]

// [reduce_two_numbers]
__global__ void reduce_two_numbers(unsigned* sums, const unsigned* numbers, int n)
{
    __shared__ unsigned partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * (2 * BLOCK) + tid;
    // Good: each thread adds two numbers on their way in.
    partial[tid] = (i < n ? numbers[i] : 0) + (i + BLOCK < n ? numbers[i + BLOCK] : 0);
    __syncthreads();

    // Good: a warp without work jumps over the loads and the store.
    // (Without __syncwarp() the compiler would switch its lanes off.)
    int first_of_warp = tid / 32 * 32;
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (first_of_warp < s) {
            if (tid < s)
                partial[tid] += partial[tid + s];
            __syncwarp();
        }
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_two_numbers]

// [reduce_strided_float]
__global__ void reduce_strided_float(float* sums, const float* numbers, int n)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    for (int s = 1; s < BLOCK; s *= 2) {
        int at = 2 * s * tid;
        if (at < BLOCK)
            partial[at] += partial[at + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_strided_float]

// [reduce_sequential_float]
__global__ void reduce_sequential_float(float* sums, const float* numbers, int n)
{
    __shared__ float partial[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid] = i < n ? numbers[i] : 0;
    __syncthreads();

    // Other pairs are added than before, so the sum rounds differently.
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = partial[0];
}
// [/reduce_sequential_float]

// [launch]
int blocks_of(int n, int numbers) { return n == 0 ? 1 : n / numbers + (n % numbers != 0); }

// A launch leaves one sum for each block. Further launches of the same
// kernel add these sums, until one block can add the rest.
// NUMBERS: so many a block adds.
template <auto kernel, class Number, int NUMBERS = BLOCK>
void add_up(const conflict_free::Arrays<Number, Number>& arrays)
{
    const Number* numbers = arrays.input;
    Number* sums = arrays.scratch;
    int left = arrays.n;
    while (left > NUMBERS) {
        int blocks = blocks_of(left, NUMBERS);
        kernel<<<blocks, BLOCK>>>(sums, numbers, left);
        numbers = sums;
        sums += blocks;
        left = blocks;
    }
    kernel<<<1, BLOCK>>>(arrays.output, numbers, left);
}
// [/launch]

// [entry]
using namespace conflict_free;

// A number goes through one addition in each of eight rounds.
constexpr int ADDITIONS = 8;

std::size_t one_sum(std::size_t) { return 1; }

std::size_t sums_between_launches(std::size_t n)
{
    std::size_t sums = 0;
    for (std::size_t left = n; left > BLOCK; sums += left)
        left = static_cast<std::size_t>(blocks_of(static_cast<int>(left), BLOCK));
    return sums;
}

std::string check_launch(
    std::span<const unsigned> numbers, std::span<const unsigned> sums, int numbers_of_block)
{
    return check_block_sums(numbers, sums, numbers_of_block);
}
std::string check_launch(std::span<const float> numbers, std::span<const float> sums, int numbers_of_block)
{
    return check_block_sums(numbers, sums, numbers_of_block, ADDITIONS);
}

// Each launch is checked against the numbers that it read. The bound for 256 is so small that
// rounding cannot hide a number that is lost or added twice; the bound for millions would hide many.
template <class Number, int NUMBERS = BLOCK>
std::string added_up(const typename ArrayKernels<Number, Number>::Written& written)
{
    std::span<const Number> numbers = written.input, scratch = written.scratch;
    for (int launch = 1; numbers.size() > NUMBERS; ++launch) {
        const auto sums =
            scratch.first(static_cast<std::size_t>(blocks_of(static_cast<int>(numbers.size()), NUMBERS)));
        const std::string wrong = check_launch(numbers, sums, NUMBERS);
        if (!wrong.empty())
            return "launch " + std::to_string(launch) + ": " + wrong;
        numbers = sums;
        scratch = scratch.subspan(sums.size());
    }
    const std::string wrong = check_launch(numbers, written.output, NUMBERS);
    return wrong.empty() ? "" : "last launch: " + wrong;
}

int main(int argc, char** argv)
{
    ArrayChapter chapter("reduction_bank_conflicts", "Which threads of a block should add?");
    chapter.lengths({262144, 1000003, 1000, 257, 256, 255, 31, 2, 1, 0});
    chapter.gpu_lengths({4194304, 33554432});
    chapter.counted_length(262144);
    chapter.traffic_lengths({33554432});

    auto& integers = chapter.arrays<unsigned, unsigned>(one_sum, sums_between_launches);
    integers.add({.name = "reduce_divergent",
        .launch = add_up<reduce_divergent, unsigned>,
        .verify = added_up<unsigned>,
        .expect = {shared_load.wavefronts_per_block == 95, shared_store.wavefronts_per_block == 55,
            on("gt200", shared_load.conflicts == 0), on("gt200", shared_store.conflicts == 0),
            shared_load.conflicts == 0, shared_store.conflicts == 0}});
    integers.add({.name = "reduce_strided",
        .launch = add_up<reduce_strided, unsigned>,
        .verify = added_up<unsigned>,
        .expect = {shared_load.conflicts_per_block == 62, shared_load.wavefronts_per_block == 87,
            shared_store.conflicts_per_block == 35, shared_store.wavefronts_per_block == 55,
            on("gt200", shared_load.conflicts_per_block == 120),
            on("gt200", shared_store.conflicts_per_block == 60)}});
    integers.add({.name = "reduce_sequential",
        .launch = add_up<reduce_sequential, unsigned>,
        .verify = added_up<unsigned>,
        .expect = {shared_load.wavefronts_per_block == 25, shared_load.conflicts == 0,
            shared_store.conflicts == 0, on("gt200", shared_load.conflicts == 0),
            on("gt200", shared_store.conflicts == 0)}});

    integers.add({.name = "reduce_whole_warps",
        .launch = add_up<reduce_whole_warps, unsigned>,
        .verify = added_up<unsigned>,
        .expect = {shared_load.wavefronts_per_block == 25, shared_load.conflicts == 0,
            shared_store.wavefronts_per_block == 20, shared_store.conflicts == 0}});
    integers.add({.name = "reduce_strided_whole_warps",
        .launch = add_up<reduce_strided_whole_warps, unsigned>,
        .verify = added_up<unsigned>,
        .expect = {shared_load.wavefronts_per_block == 87, shared_store.wavefronts_per_block == 55}});
    integers.add({.name = "reduce_two_numbers",
        .launch = add_up<reduce_two_numbers, unsigned, 2 * BLOCK>,
        .verify = added_up<unsigned, 2 * BLOCK>,
        .expect = {shared_load.wavefronts_per_block == 25, shared_load.conflicts == 0,
            shared_store.wavefronts_per_block == 20, shared_store.conflicts == 0}});

    auto& floats = chapter.arrays<float, float>(one_sum, sums_between_launches);
    floats.add({.name = "reduce_strided_float",
        .launch = add_up<reduce_strided_float, float>,
        .verify = added_up<float>,
        .expect = {shared_load.conflicts_per_block == 62, shared_load.wavefronts_per_block == 87,
            shared_store.conflicts_per_block == 35, shared_store.wavefronts_per_block == 55,
            on("gt200", shared_load.conflicts_per_block == 120),
            on("gt200", shared_store.conflicts_per_block == 60)}});
    floats.add({.name = "reduce_sequential_float",
        .launch = add_up<reduce_sequential_float, float>,
        .verify = added_up<float>,
        .expect = {shared_load.wavefronts_per_block == 25, shared_load.conflicts == 0,
            shared_store.conflicts == 0, on("gt200", shared_load.conflicts == 0),
            on("gt200", shared_store.conflicts == 0)}});

    return chapter.run(argc, argv);
}
// [/entry]
