// Kernels whose threads race, each beside one that is right: the first is reported with its lines, the second is not
// reported at all.

#include <cooperative_groups.h>
#include <gtest/gtest.h>
#include <cuda/atomic>

#include "marked_hazards.hpp"

namespace {

const MarkedFile races(__FILE__);

template <class Launch> void expect_race(Launch&& launch, std::vector<const char*> markers) {
    expect_one(races, hazards_of(launch), HazardKind::race, std::move(markers));
}

// Races in shared memory

template <bool with_barrier> __global__ void reverse(int* data) {
    __shared__ int tile[N];
    tile[threadIdx.x] = data[threadIdx.x];  // here: reverse writes
    if (with_barrier) __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];  // here: reverse reads
}

TEST(Race, AMissingBarrierIsFoundAndAPresentOneIsNot) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { reverse<true><<<1, N>>>(data.data); }).empty());
    // The model runs some readers before their writers; that is a race and not an uninitialized read.
    expect_race([&] { reverse<false><<<1, N>>>(data.data); }, {"reverse reads", "reverse writes"});
}

__global__ void same_value(int* data) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (data[threadIdx.x] % 2) found = 1;
    __syncthreads();
    data[threadIdx.x] = found;
}

__global__ void different_values(int* data) {
    __shared__ int last;
    last = threadIdx.x;  // here: different values
    __syncthreads();
    data[threadIdx.x] = last;
}

TEST(Race, EqualValuesAreHarmlessAndDifferentOnesAreNot) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { same_value<<<1, N>>>(data.data); }).empty());
    expect_race([&] { different_values<<<1, N>>>(data.data); }, {"different values", "different values"});
}

// A later warp stores the value that the first warp has read, to the same place.
__global__ void stores_again(int* data) {
    __shared__ int tile[N];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) data[threadIdx.x] = tile[threadIdx.x + 32];  // here: reads what is stored again
    else tile[threadIdx.x] = threadIdx.x;                              // here: stores again
}

TEST(Race, AStoreOfTheSameValueRacesWithAReadThatTheModelRanBefore) {
    Ints data(N);
    expect_race([&] { stores_again<<<1, N>>>(data.data); }, {"reads what is stored again", "stores again"});
}

__global__ void own_bytes(unsigned char* data) {
    __shared__ unsigned char bytes[N];
    bytes[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void shared_bytes(unsigned char* data) {
    __shared__ unsigned char bytes[N];
    bytes[threadIdx.x / 2] = threadIdx.x;  // here: shared bytes
    __syncthreads();
    data[threadIdx.x] = bytes[threadIdx.x / 2];
}

TEST(Race, ThreadsMayWriteDifferentBytesOfAWord) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { own_bytes<<<1, N>>>(reinterpret_cast<unsigned char*>(data.data)); }).empty());
    expect_race([&] { shared_bytes<<<1, N>>>(reinterpret_cast<unsigned char*>(data.data)); }, {"shared bytes", "shared bytes"});
}

__global__ void warp_pairs(int* data, unsigned mask, bool synchronize) {
    __shared__ int tile[32];
    tile[threadIdx.x] = data[threadIdx.x];
    if (synchronize && (mask >> threadIdx.x & 1)) __syncwarp(mask);
    if (mask >> threadIdx.x & 1) data[threadIdx.x] = tile[threadIdx.x ^ 1];
}

TEST(Race, WarpSynchronizationOrdersTheLanesOfItsMaskOnly) {
    Ints data(32);
    EXPECT_TRUE(hazards_of([&] { warp_pairs<<<1, 32>>>(data.data, ~0u, true); }).empty());
    EXPECT_TRUE(hazards_of([&] { warp_pairs<<<1, 32>>>(data.data, 0xFFu, true); }).empty());
    const auto unordered = hazards_of([&] { warp_pairs<<<1, 32>>>(data.data, ~0u, false); });
    ASSERT_FALSE(unordered.empty());
    EXPECT_EQ(unordered[0].kind, HazardKind::race);
    // Lane 0 is ordered with lanes 2, 4, … only; it reads what lane 1 wrote.
    const auto partly = hazards_of([&] { warp_pairs<<<1, 32>>>(data.data, 0x55555555u, true); });
    ASSERT_FALSE(partly.empty());
    EXPECT_EQ(partly[0].kind, HazardKind::race);
}

/// Too large for the compiler to inline it by itself.
__device__ int distance(int2 a, int2 b) {
    int sum = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    for (int step = 0; step < 4; ++step) sum += (a.x ^ step) * (b.y ^ step);
    return sum;
}

template <bool with_barrier> __global__ void pass_by_value(int* data) {
    __shared__ int2 tile[N];
    const int2 own{data[threadIdx.x], 1};
    tile[threadIdx.x] = own;
    if (with_barrier) __syncthreads();
    int sum = 0;
    for (int i = 0; i < N; ++i) sum += distance(own, tile[i]) * distance(tile[i], own);  // here: by value
    data[threadIdx.x] = sum;
}

TEST(Race, AStructurePassedByValueIsRead) {
    Ints data(N);
    model::take_launches();
    EXPECT_TRUE(hazards_of([&] { pass_by_value<true><<<1, N>>>(data.data); }).empty());
    const auto launches = model::take_launches();
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].shared_load.instructions, 2u * N) << "nvcc loads the structure once for both calls";
    const auto hazards = hazards_of([&] { pass_by_value<false><<<1, N>>>(data.data); });
    ASSERT_FALSE(hazards.empty());
    bool found = false;
    for (const Hazard& hazard : hazards) found |= hazard.kind == HazardKind::race && hazard.lines.back().line == races.line_of("by value");
    EXPECT_TRUE(found);
}

// Races between blocks

__global__ void all_blocks_write(int* data) { data[threadIdx.x] = blockIdx.x; }  // here: all blocks write
__global__ void own_part(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }
__global__ void neighbor(int* output, int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i + 1000;              // here: neighbor writes
    output[i] = data[(i + 32) % n];  // here: neighbor reads
}

TEST(Race, BlocksAreConcurrent) {
    Ints data(128), output(128);
    EXPECT_TRUE(hazards_of([&] { own_part<<<4, 32>>>(data.data); }).empty());
    expect_race([&] { all_blocks_write<<<4, 32>>>(data.data); }, {"all blocks write", "all blocks write"});
    const auto hazards = hazards_of([&] { neighbor<<<4, 32>>>(output.data, data.data, 128); });
    ASSERT_FALSE(hazards.empty());
    for (const Hazard& hazard : hazards) EXPECT_EQ(hazard.kind, HazardKind::race);
}

// Atomic operations that are no single instruction

/// An atomic operation without an instruction, as the CUDA C Programming Guide writes it: a plain load, then compare-and-swaps.
template <bool swaps> __device__ void add_by_swaps(unsigned* address, unsigned value) {
    unsigned old = *address;  // here: expects
    if constexpr (swaps) {
        unsigned expected;
        do {
            expected = old;
            old = atomicCAS(address, expected, expected + value);
        } while (expected != old);
    } else {
        atomicMax(address, old + value);  // here: takes the larger
    }
}

template <bool swaps> __global__ void swaps_of_blocks(unsigned* data) { add_by_swaps<swaps>(data, 1 + blockIdx.x); }

/// nvcc leaves the address of the load as it is written, and computes that of the swap.
__global__ void one_swap_of_blocks(unsigned* data) {
    unsigned expected;
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(expected) : "l"(data + threadIdx.x));
    while (true) {
        const unsigned old = atomicCAS(data + threadIdx.x, expected, expected + 1 + blockIdx.x);
        if (old == expected) break;
        expected = old;
    }
}

template <bool swaps> __global__ void swaps_of_threads(unsigned* data) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    add_by_swaps<swaps>(&sum, 1 + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *data = sum;
}

TEST(Race, AGuessThatASwapConfirmsIsHarmless) {
    Ints data(32);
    auto* const words = reinterpret_cast<unsigned*>(data.data);
    EXPECT_TRUE(hazards_of([&] { swaps_of_blocks<true><<<4, 32>>>(words); }).empty());
    EXPECT_TRUE(hazards_of([&] { one_swap_of_blocks<<<4, 32>>>(words); }).empty());
    EXPECT_TRUE(hazards_of([&] { swaps_of_threads<true><<<1, N>>>(words); }).empty());
    expect_race([&] { swaps_of_blocks<false><<<4, 32>>>(words); }, {"takes the larger", "expects"});
    expect_race([&] { swaps_of_threads<false><<<1, N>>>(words); }, {"expects", "takes the larger"});
}

/// Odd threads and blocks change one word, the others look at it.
template <bool by_plain_store> __device__ int change_or_look(unsigned* address, unsigned number) {
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(*address);
    if (number % 2 == 0) return word.load(cuda::memory_order_relaxed);
    if (by_plain_store) *address = number;  // here: stores plainly
    else if (number % 4 == 1) word.store(number, cuda::memory_order_relaxed);
    else word.fetch_add(number, cuda::memory_order_relaxed);
    return 0;
}

template <bool by_plain_store> __global__ void atomic_accesses_of_blocks(unsigned* data) {
    data[1 + blockIdx.x * blockDim.x + threadIdx.x] = change_or_look<by_plain_store>(data, blockIdx.x);
}

template <bool by_plain_store> __global__ void atomic_accesses_of_threads(unsigned* data) {
    __shared__ unsigned word;
    if (threadIdx.x == 0) word = 0;
    __syncthreads();
    data[threadIdx.x] = change_or_look<by_plain_store>(&word, threadIdx.x);
}

TEST(Race, AtomicLoadsAndStoresDoNotRace) {
    Ints data(1 + 4 * 32);
    auto* const words = reinterpret_cast<unsigned*>(data.data);
    EXPECT_TRUE(hazards_of([&] { atomic_accesses_of_blocks<false><<<4, 32>>>(words); }).empty());
    EXPECT_TRUE(hazards_of([&] { atomic_accesses_of_threads<false><<<1, N>>>(words); }).empty());
    EXPECT_FALSE(hazards_of([&] { atomic_accesses_of_blocks<true><<<4, 32>>>(words); }).empty());
    EXPECT_FALSE(hazards_of([&] { atomic_accesses_of_threads<true><<<1, N>>>(words); }).empty());
}

template <bool with_barrier> __global__ void count_threads(int* data) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;  // here: sets the counter
    if (with_barrier) __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    data[threadIdx.x] = count;
}

TEST(Race, AnUpdateByTheThreadThatStoredHidesNoStore) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { count_threads<true><<<1, N>>>(data.data); }).empty());
    EXPECT_FALSE(hazards_of([&] { count_threads<false><<<1, N>>>(data.data); }).empty());
}

__global__ void flag_that_all_set(int* flag, int last) { *flag = threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x ? last : 1; }

TEST(Race, WhatAllBlocksStoreIsComparedInTheOrderInWhichTheyStoreIt) {
    // Host threads that run blocks side by side meet by chance.
    for (int trial = 0; trial < 500; ++trial) {
        Ints flag(1);
        EXPECT_TRUE(hazards_of([&] { flag_that_all_set<<<4, 1>>>(flag.data, 1); }).empty());
        EXPECT_EQ(hazards_of([&] { flag_that_all_set<<<4, 1>>>(flag.data, 2); }).size(), 1u);
    }
}

constexpr int ROW = 1024;

/// Two blocks, which mostly run side by side, store the same columns.
__global__ void columns_of_pairs(int* matrix, int last) {
    for (int column = blockIdx.x / 2 * 8; column < static_cast<int>(blockIdx.x / 2 * 8 + 8); ++column)
        matrix[threadIdx.x * ROW + column] = threadIdx.x == 0 && column + 1 == ROW && blockIdx.x % 2 ? last : 1;
}

TEST(Race, ColumnsAreComparedInTheOrderInWhichTheyAreStored) {
    for (int trial = 0; trial < 20; ++trial) {
        Ints matrix(32 * ROW);
        EXPECT_TRUE(hazards_of([&] { columns_of_pairs<<<ROW / 4, 32>>>(matrix.data, 1); }).empty());
        EXPECT_EQ(hazards_of([&] { columns_of_pairs<<<ROW / 4, 32>>>(matrix.data, 2); }).size(), 1u);
    }
}

__global__ void sum_of_blocks_before(volatile int* sums, int* output) {
    // Single-pass scans work like this: each block hands its sum on to the next, which polls for it.
    int before = 0;
    if (blockIdx.x > 0)
        while ((before = sums[blockIdx.x - 1]) == 0) __threadfence();
    output[blockIdx.x] = before;
    __threadfence();
    sums[blockIdx.x] = before + 1;
}

__global__ void sum_of_blocks_before_once(volatile int* sums, int* output) {
    output[blockIdx.x] = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;  // here: looks only once
    sums[blockIdx.x] = 1;                                            // here: for the next
}

TEST(Race, WhoLooksAgainAndAgainIsOrderedByWhatItFinds) {
    Ints sums(64), output(64);
    cudaMemset(sums.data, 0, 64 * sizeof(int));
    EXPECT_TRUE(hazards_of([&] { sum_of_blocks_before<<<64, 1>>>(sums.data, output.data); }).empty());
    cudaMemset(sums.data, 0, 64 * sizeof(int));
    expect_race([&] { sum_of_blocks_before_once<<<64, 1>>>(sums.data, output.data); }, {"for the next", "looks only once"});
}

__global__ void from_two(int* output, const int* first, const int* second) {
    const int* source = threadIdx.x % 2 ? first : second;
    int value = source[threadIdx.x];  // here: from two
    output[blockIdx.x * blockDim.x + threadIdx.x] = value;
    if (blockIdx.x == 1 && threadIdx.x == 0) const_cast<int*>(first)[7] = -1;  // here: into the first
}

TEST(Race, LanesOfOneAccessMayGoToTwoAllocations) {
    Ints first(32), second(32), output(64);
    EXPECT_TRUE(hazards_of([&] { from_two<<<1, 32>>>(output.data, first.data, second.data); }).empty());
    expect_race([&] { from_two<<<2, 32>>>(output.data, first.data, second.data); }, {"from two", "into the first"});
}

/// The other block writes the words that this one reads: these are not the block's own words of the same place.
__global__ void __cluster_dims__(2) write_there(int* out) {
    __shared__ int words[N];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    if (cluster.block_rank() == 1) words[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 1) {
        cluster.map_shared_rank(words, 0)[N - 1 - threadIdx.x] = 2;
        out[threadIdx.x] = words[threadIdx.x];
    }
    cluster.sync();
}

TEST(Race, WhatIsDoneToAnotherBlockOfTheClusterIsNotDoneToTheOwn) {
    Ints out(N);
    EXPECT_TRUE(hazards_of([&] { write_there<<<2, N>>>(out.data); }).empty());
}

}  // namespace
