// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Kernels that do what no kernel may, each beside one that is right: the first is reported with its lines, the second is
// not reported at all.

#include <cooperative_groups.h>
#include <gtest/gtest.h>

#undef NDEBUG  // an assertion is part of what is tested
#include <cassert>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "model_results.hpp"

namespace {

using simt::Hazard;
using simt::HazardKind;

constexpr int N = 64;

int line_of(const char* marker)
{
    // Lines are found by a comment in this file, so that the test survives an edit above them.
    static const std::vector<std::string> lines = [] {
        std::vector<std::string> read;
        FILE* file = std::fopen(__FILE__, "r");
        char buffer[512];
        while (file && std::fgets(buffer, sizeof buffer, file)) read.emplace_back(buffer);
        if (file) std::fclose(file);
        return read;
    }();
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find(std::string("// here: ") + marker + "\n") != std::string::npos) return static_cast<int>(i) + 1;
    ADD_FAILURE() << "no line is marked " << marker;
    return 0;
}

/// Device memory of `count` ints, filled with their index.
class Ints {
public:
    explicit Ints(int count)
    {
        cudaMalloc(&data, sizeof(int) * count);
        std::vector<int> values(count);
        for (int i = 0; i < count; ++i) values[i] = i;
        cudaMemcpy(data, values.data(), sizeof(int) * count, cudaMemcpyHostToDevice);
    }
    ~Ints() { cudaFree(data); }
    int* data = nullptr;
};

template <class Launch>
std::vector<Hazard> hazards_of(Launch&& launch)
{
    model::take_hazards();
    model::take_errors();
    launch();
    cudaGetLastError();
    return model::take_hazards();
}

void expect_one(const std::vector<Hazard>& hazards, HazardKind kind, std::vector<const char*> markers)
{
    ASSERT_EQ(hazards.size(), 1u) << (hazards.size() > 1 ? hazards[1].message : "");
    EXPECT_EQ(simt::name_of(hazards[0].kind), std::string(simt::name_of(kind))) << hazards[0].message;
    ASSERT_EQ(hazards[0].lines.size(), markers.size()) << hazards[0].message;
    for (std::size_t i = 0; i < markers.size(); ++i) {
        EXPECT_EQ(hazards[0].lines[i].file, "hazards_test.cu");
        EXPECT_EQ(hazards[0].lines[i].line, line_of(markers[i])) << hazards[0].message;
    }
    EXPECT_FALSE(hazards[0].help.empty());
    EXPECT_FALSE(hazards[0].threads.empty());
}

// Races in shared memory

template <bool with_barrier>
__global__ void reverse(int* data)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = data[threadIdx.x];  // here: reverse writes
    if (with_barrier) __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];  // here: reverse reads
}

TEST(Race, AMissingBarrierIsFoundAndAPresentOneIsNot)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { reverse<true><<<1, N>>>(data.data); }).empty());
    // The model runs some readers before their writers; that is a race and not an uninitialized read.
    expect_one(hazards_of([&] { reverse<false><<<1, N>>>(data.data); }), HazardKind::race, {"reverse reads", "reverse writes"});
}

template <bool second_barrier>
__global__ void repeat(int* output, const int* input)
{
    __shared__ int tile[N];
    for (int r = 0; r < 3; ++r) {
        tile[threadIdx.x] = input[threadIdx.x] + r;  // here: repeat writes
        __syncthreads();
        output[threadIdx.x] = tile[N - 1 - threadIdx.x];  // here: repeat reads
        if (second_barrier) __syncthreads();
    }
}

TEST(Race, ALoopNeedsASecondBarrier)
{
    Ints input(N), output(N);
    EXPECT_TRUE(hazards_of([&] { repeat<true><<<1, N>>>(output.data, input.data); }).empty());
    expect_one(hazards_of([&] { repeat<false><<<1, N>>>(output.data, input.data); }), HazardKind::race, {"repeat writes", "repeat reads"});
}

__global__ void same_value(int* data)
{
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (data[threadIdx.x] % 2) found = 1;
    __syncthreads();
    data[threadIdx.x] = found;
}

__global__ void different_values(int* data)
{
    __shared__ int last;
    last = threadIdx.x;  // here: different values
    __syncthreads();
    data[threadIdx.x] = last;
}

TEST(Race, EqualValuesAreHarmlessAndDifferentOnesAreNot)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { same_value<<<1, N>>>(data.data); }).empty());
    expect_one(hazards_of([&] { different_values<<<1, N>>>(data.data); }), HazardKind::race, {"different values", "different values"});
}

// What the first warp reads, a later warp stores anew, with the value that is there already.
__global__ void stores_again(int* data)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) data[threadIdx.x] = tile[threadIdx.x + 32];  // here: reads what is stored again
    else tile[threadIdx.x] = threadIdx.x;                              // here: stores again
}

TEST(Race, AStoreOfTheSameValueRacesWithAReadThatTheModelRanBefore)
{
    Ints data(N);
    expect_one(hazards_of([&] { stores_again<<<1, N>>>(data.data); }), HazardKind::race, {"reads what is stored again", "stores again"});
}

__global__ void own_bytes(unsigned char* data)
{
    __shared__ unsigned char bytes[N];
    bytes[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void shared_bytes(unsigned char* data)
{
    __shared__ unsigned char bytes[N];
    bytes[threadIdx.x / 2] = threadIdx.x;  // here: shared bytes
    __syncthreads();
    data[threadIdx.x] = bytes[threadIdx.x / 2];
}

TEST(Race, ThreadsMayWriteDifferentBytesOfAWord)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { own_bytes<<<1, N>>>(reinterpret_cast<unsigned char*>(data.data)); }).empty());
    expect_one(hazards_of([&] { shared_bytes<<<1, N>>>(reinterpret_cast<unsigned char*>(data.data)); }), HazardKind::race,
               {"shared bytes", "shared bytes"});
}

__global__ void warp_pairs(int* data, unsigned mask, bool synchronize)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = data[threadIdx.x];
    if (synchronize && (mask >> threadIdx.x & 1)) __syncwarp(mask);
    if (mask >> threadIdx.x & 1) data[threadIdx.x] = tile[threadIdx.x ^ 1];
}

TEST(Race, WarpSynchronizationOrdersTheLanesOfItsMaskOnly)
{
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

/// Too large for the compiler to take it into its callers unasked.
__device__ int distance(int2 a, int2 b)
{
    int sum = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    for (int step = 0; step < 4; ++step) sum += (a.x ^ step) * (b.y ^ step);
    return sum;
}

template <bool with_barrier>
__global__ void pass_by_value(int* data)
{
    __shared__ int2 tile[N];
    const int2 own{data[threadIdx.x], 1};
    tile[threadIdx.x] = own;
    if (with_barrier) __syncthreads();
    int sum = 0;
    for (int i = 0; i < N; ++i) sum += distance(own, tile[i]) * distance(tile[i], own);  // here: by value
    data[threadIdx.x] = sum;
}

TEST(Race, AStructurePassedByValueIsRead)
{
    Ints data(N);
    model::take_launches();
    EXPECT_TRUE(hazards_of([&] { pass_by_value<true><<<1, N>>>(data.data); }).empty());
    const auto launches = model::take_launches();
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].shared_load.instructions, 2u * N) << "nvcc loads the structure once for both calls";
    const auto hazards = hazards_of([&] { pass_by_value<false><<<1, N>>>(data.data); });
    ASSERT_FALSE(hazards.empty());
    bool found = false;
    for (const Hazard& hazard : hazards) found |= hazard.kind == HazardKind::race && hazard.lines.back().line == line_of("by value");
    EXPECT_TRUE(found);
}

// Races between blocks

__global__ void all_blocks_write(int* data) { data[threadIdx.x] = blockIdx.x; }  // here: all blocks write
__global__ void own_part(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }
__global__ void neighbor(int* output, int* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i + 1000;              // here: neighbor writes
    output[i] = data[(i + 32) % n];  // here: neighbor reads
}

// Element 0 holds 0, and a later block stores that again.
__global__ void first_element(int* output, int* data)
{
    if (blockIdx.x == 0) output[threadIdx.x] = data[0];  // here: reads the first element
    else if (threadIdx.x == 0) data[0] = 0;              // here: stores the first element again
}

TEST(Race, AStoreOfTheSameValueRacesWithAReadByAnEarlierBlock)
{
    Ints data(32), output(32);
    expect_one(hazards_of([&] { first_element<<<2, 32>>>(output.data, data.data); }), HazardKind::race,
               {"reads the first element", "stores the first element again"});
}

TEST(Race, BlocksAreConcurrent)
{
    Ints data(128), output(128);
    EXPECT_TRUE(hazards_of([&] { own_part<<<4, 32>>>(data.data); }).empty());
    expect_one(hazards_of([&] { all_blocks_write<<<4, 32>>>(data.data); }), HazardKind::race, {"all blocks write", "all blocks write"});
    const auto hazards = hazards_of([&] { neighbor<<<4, 32>>>(output.data, data.data, 128); });
    ASSERT_FALSE(hazards.empty());
    for (const Hazard& hazard : hazards) EXPECT_EQ(hazard.kind, HazardKind::race);
}

__global__ void every_fourth(int* data, int once_more)
{
    data[threadIdx.x * 4 + blockIdx.x] = blockIdx.x;                                 // here: every fourth
    if (blockIdx.x == 3 && threadIdx.x == once_more) data[threadIdx.x * 4 + 1] = 9;  // here: once more
}

TEST(Race, BlocksMayTakeTurnsInALine)
{
    Ints data(128);
    EXPECT_TRUE(hazards_of([&] { every_fourth<<<4, 32>>>(data.data, -1); }).empty());
    for (const int thread : {0, 31})
        expect_one(hazards_of([&] { every_fourth<<<4, 32>>>(data.data, thread); }), HazardKind::race, {"every fourth", "once more"});
}

__global__ void sum_of_blocks_before(volatile int* sums, int* output)
{
    // As scans do that go through their input once: each block hands its sum on to the next, which looks for it again and again.
    int before = 0;
    if (blockIdx.x > 0)
        while ((before = sums[blockIdx.x - 1]) == 0) __threadfence();
    output[blockIdx.x] = before;
    __threadfence();
    sums[blockIdx.x] = before + 1;
}

__global__ void sum_of_blocks_before_once(volatile int* sums, int* output)
{
    output[blockIdx.x] = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;  // here: looks only once
    sums[blockIdx.x] = 1;                                            // here: for the next
}

TEST(Race, WhoLooksAgainAndAgainIsOrderedByWhatItFinds)
{
    Ints sums(64), output(64);
    cudaMemset(sums.data, 0, 64 * sizeof(int));
    EXPECT_TRUE(hazards_of([&] { sum_of_blocks_before<<<64, 1>>>(sums.data, output.data); }).empty());
    cudaMemset(sums.data, 0, 64 * sizeof(int));
    expect_one(hazards_of([&] { sum_of_blocks_before_once<<<64, 1>>>(sums.data, output.data); }), HazardKind::race,
               {"for the next", "looks only once"});
}

__global__ void several_ways(int* output, volatile int* data, int other)
{
    // Block 0 alone touches its words, from several places, before another block comes to one of them.
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1;                                                         // here: all first
        if (threadIdx.x % 2) data[threadIdx.x] = 2;                                    // here: odd ones again
        output[threadIdx.x] = data[(threadIdx.x + 32) % 64] + data[threadIdx.x + 64];  // here: two reads
    } else if (threadIdx.x == 0) {
        data[other] = 3;  // here: other block
    }
}

TEST(Race, TheAccessThatIsNamedIsTheLastToItsWord)
{
    Ints data(128), output(32);
    EXPECT_TRUE(hazards_of([&] { several_ways<<<2, 32>>>(output.data, data.data, 100); }).empty());
    expect_one(hazards_of([&] { several_ways<<<2, 32>>>(output.data, data.data, 4); }), HazardKind::race, {"all first", "other block"});
    expect_one(hazards_of([&] { several_ways<<<2, 32>>>(output.data, data.data, 5); }), HazardKind::race,
               {"odd ones again", "other block"});
    expect_one(hazards_of([&] { several_ways<<<2, 32>>>(output.data, data.data, 70); }), HazardKind::race, {"two reads", "other block"});
}

__global__ void from_two(int* output, const int* first, const int* second)
{
    const int* source = threadIdx.x % 2 ? first : second;
    int value = source[threadIdx.x];  // here: from two
    output[blockIdx.x * blockDim.x + threadIdx.x] = value;
    if (blockIdx.x == 1 && threadIdx.x == 0) const_cast<int*>(first)[7] = -1;  // here: into the first
}

TEST(Race, LanesOfOneAccessMayGoToTwoAllocations)
{
    Ints first(32), second(32), output(64);
    EXPECT_TRUE(hazards_of([&] { from_two<<<1, 32>>>(output.data, first.data, second.data); }).empty());
    expect_one(hazards_of([&] { from_two<<<2, 32>>>(output.data, first.data, second.data); }), HazardKind::race,
               {"from two", "into the first"});
}

__global__ void read_written_before(int* output, const int* data) { output[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x]; }

TEST(Race, LaunchesAreOrdered)
{
    Ints data(128), output(128);
    EXPECT_TRUE(hazards_of([&] {
                    own_part<<<4, 32>>>(data.data);
                    read_written_before<<<4, 32>>>(output.data, data.data);
                }).empty());
}

// Uninitialized shared memory

__global__ void partly_written(int* data, int n)
{
    __shared__ int tile[N];
    if (threadIdx.x < n) tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];  // here: partly written
}

TEST(Uninitialized, SharedMemoryThatNoThreadWrote)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { partly_written<<<1, N>>>(data.data, N); }).empty());
    expect_one(hazards_of([&] { partly_written<<<1, N>>>(data.data, N - 1); }), HazardKind::uninitialized, {"partly written"});
}

__global__ void exchanged_and_left(int* data)
{
    __shared__ int lock;
    if (threadIdx.x == 0) atomicExch(&lock, 1);
    __syncthreads();
    data[threadIdx.x] = lock;
}

__global__ void exchanged_and_read(int* data)
{
    __shared__ int lock;
    if (threadIdx.x == 0) data[N - 1] = atomicExch(&lock, 1);  // here: exchanged
    __syncthreads();
    data[threadIdx.x] = lock;
}

TEST(Uninitialized, AnExchangeWhoseResultNobodyReadsIsAWrite)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { exchanged_and_left<<<1, 32>>>(data.data); }).empty());
    expect_one(hazards_of([&] { exchanged_and_read<<<1, 32>>>(data.data); }), HazardKind::uninitialized, {"exchanged"});
}

__global__ void written_by_first_block(int* data)
{
    __shared__ volatile int value;
    if (blockIdx.x == 0) value = 7;
    data[blockIdx.x * blockDim.x] = value;  // here: first block only
}

__global__ void read_before_own_write(int* data, bool by_neighbor)
{
    __shared__ int tile[32];
    const int before = tile[threadIdx.x];  // here: before own write
    if (by_neighbor) __syncwarp(~0u);
    tile[by_neighbor ? threadIdx.x ^ 1 : threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = before;
}

/// Each block of a cluster writes what the other one reads, and reads what it has not written itself.
__global__ void __cluster_dims__(2) exchange(int* out, bool writes)
{
    __shared__ int received[N];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    cluster.sync();
    if (writes) cluster.map_shared_rank(received, cluster.block_rank() ^ 1)[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * N + threadIdx.x] = received[N - 1 - threadIdx.x];
}

TEST(Uninitialized, AnotherBlockOfTheClusterMayWrite)
{
    Ints out(2 * N);
    EXPECT_TRUE(hazards_of([&] { exchange<<<2, N>>>(out.data, true); }).empty());
    EXPECT_FALSE(hazards_of([&] { exchange<<<2, N>>>(out.data, false); }).empty());
}

/// The other block writes the words that this one reads: these are not the block's own words of the same place.
__global__ void __cluster_dims__(2) write_there(int* out)
{
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

TEST(Race, WhatIsDoneToAnotherBlockOfTheClusterIsNotDoneToTheOwn)
{
    Ints out(N);
    EXPECT_TRUE(hazards_of([&] { write_there<<<2, N>>>(out.data); }).empty());
}

TEST(Uninitialized, AWriteThatIsOrderedAfterTheReadComesTooLate)
{
    Ints data(32);
    for (const bool by_neighbor : {false, true})
        expect_one(hazards_of([&] { read_before_own_write<<<1, 32>>>(data.data, by_neighbor); }), HazardKind::uninitialized,
                   {"before own write"});
}

TEST(Uninitialized, WhatAnEarlierBlockWroteDoesNotCount)
{
    Ints data(2);
    expect_one(hazards_of([&] { written_by_first_block<<<2, 1>>>(data.data); }), HazardKind::uninitialized, {"first block only"});
}

// Out of bounds

__global__ void write_up_to(int* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) data[i] = i;  // here: one too far
}

__global__ void read_at(int* output, const int* data, long long offset) { *output = data[offset]; }  // here: far away
__global__ void shared_index(int* data, int i)
{
    __shared__ int tile[4][8];
    __shared__ int other[4];
    other[threadIdx.x] = 0;
    tile[threadIdx.x][0] = 0;
    tile[threadIdx.x][i] = 1;  // here: shared index
    data[threadIdx.x] = tile[threadIdx.x][0] + other[threadIdx.x];
}
__global__ void dynamic_index(int* data, int i)
{
    extern __shared__ int values[];
    values[i] = 1;  // here: dynamic index
    *data = 0;
}

TEST(OutOfBounds, ByOneIsFoundWithoutACrash)
{
    Ints data(40);
    EXPECT_TRUE(hazards_of([&] { write_up_to<<<2, 32>>>(data.data, 39); }).empty());
    const auto hazards = hazards_of([&] { write_up_to<<<2, 32>>>(data.data, 40); });
    expect_one(hazards, HazardKind::out_of_bounds, {"one too far"});
    EXPECT_NE(hazards[0].message.find("right behind the end of an allocation of 160 bytes"), std::string::npos) << hazards[0].message;
    EXPECT_EQ(hazards[0].block.x, 1u);
    EXPECT_EQ(hazards[0].threads[0].x, 8u);
}

__global__ void read_before(int* data, const int* source, int offset)
{
    data[threadIdx.x] = source[static_cast<int>(threadIdx.x) - offset];  // here: before the start
}

TEST(OutOfBounds, BeforeAnAllocationIsToldFromHostMemory)
{
    Ints output(32), data(32);
    const auto hazards = hazards_of([&] { read_before<<<1, 32>>>(output.data, data.data, 3); });
    expect_one(hazards, HazardKind::out_of_bounds, {"before the start"});
    EXPECT_NE(hazards[0].message.find("12 bytes before an allocation of 128 bytes"), std::string::npos) << hazards[0].message;
}

__global__ void read_unwritten_and_stop(int* data, int* nothing)
{
    __shared__ int values[64];
    values[threadIdx.x] = 1;
    __syncthreads();
    data[threadIdx.x] = values[threadIdx.x + 32];  // here: unwritten before a stop
    if (threadIdx.x == 3) *nothing = 1;            // here: what stops it
}

TEST(Uninitialized, ReadsAreReportedOfABlockThatIsStopped)
{
    Ints data(64);
    auto hazards = hazards_of([&] { read_unwritten_and_stop<<<1, 32>>>(data.data, nullptr); });
    ASSERT_EQ(hazards.size(), 2u);
    const bool first = hazards[0].kind == HazardKind::uninitialized;
    expect_one({hazards[first ? 0 : 1]}, HazardKind::uninitialized, {"unwritten before a stop"});
    expect_one({hazards[first ? 1 : 0]}, HazardKind::out_of_bounds, {"what stops it"});
}

TEST(OutOfBounds, FarAwayIsReportedAndTheProgramGoesOn)
{
    Ints data(4), output(1);
    // Behind the newest allocation, and before and behind all addresses of the device: nothing that was freed lies there.
    for (const long long offset : {1ll << 20, -(1ll << 40), 1ll << 40}) {
        expect_one(hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, offset); }), HazardKind::out_of_bounds, {"far away"});
    }
    expect_one(hazards_of([&] { read_at<<<1, 1>>>(output.data, nullptr, 0); }), HazardKind::out_of_bounds, {"far away"});
    int host = 5;
    expect_one(hazards_of([&] { read_at<<<1, 1>>>(output.data, &host, 0); }), HazardKind::out_of_bounds, {"far away"});
    EXPECT_TRUE(hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, 3); }).empty());
}

TEST(OutOfBounds, BeforeAnAllocationIsNotAboutTheOneBeforeIt)
{
    {
        Ints freed(4);
    }
    Ints data(4), output(1);
    const auto hazards = hazards_of([&] { read_at<<<1, 1>>>(output.data, data.data, -1); });
    expect_one(hazards, HazardKind::out_of_bounds, {"far away"});
    EXPECT_NE(hazards[0].message.find("4 bytes before an allocation of 16 bytes"), std::string::npos) << hazards[0].message;
}

TEST(OutOfBounds, SharedVariablesDoNotRunIntoOneAnother)
{
    Ints data(32);
    EXPECT_TRUE(hazards_of([&] { shared_index<<<1, 1>>>(data.data, 0); }).empty());
    expect_one(hazards_of([&] { shared_index<<<1, 4>>>(data.data, 32); }), HazardKind::out_of_bounds, {"shared index"});
    const auto before = hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, -1); });
    expect_one(before, HazardKind::out_of_bounds, {"dynamic index"});
    EXPECT_NE(before[0].message.find("4 bytes before the shared memory of the block"), std::string::npos) << before[0].message;
    EXPECT_TRUE(hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, 3); }).empty());
    expect_one(hazards_of([&] { dynamic_index<<<1, 1, 16>>>(data.data, 4); }), HazardKind::out_of_bounds, {"dynamic index"});
}

// Misaligned, freed

__global__ void wide_load(int* output, const char* data)
{
    *output = reinterpret_cast<const int2*>(data)->x + reinterpret_cast<const int2*>(data)->y;
}
__global__ void copy_wide(int2* output, const char* data) { *output = *reinterpret_cast<const int2*>(data); }  // here: copy wide

TEST(Misaligned, AWideAccessAtANarrowAddress)
{
    Ints data(8), output(2);
    const char* bytes = reinterpret_cast<const char*>(data.data);
    EXPECT_TRUE(hazards_of([&] { copy_wide<<<1, 1>>>(reinterpret_cast<int2*>(output.data), bytes + 8); }).empty());
    expect_one(hazards_of([&] { copy_wide<<<1, 1>>>(reinterpret_cast<int2*>(output.data), bytes + 4); }), HazardKind::misaligned,
               {"copy wide"});
}

__global__ void store_wide(char* data) { *reinterpret_cast<int4*>(data) = int4{1, 2, 3, 4}; }  // here: store wide

TEST(Misaligned, AWideStoreThatTheHostCannotMake)
{
    Ints data(8);
    char* bytes = reinterpret_cast<char*>(data.data);
    EXPECT_TRUE(hazards_of([&] { store_wide<<<1, 1>>>(bytes + 16); }).empty());
    expect_one(hazards_of([&] { store_wide<<<1, 1>>>(bytes + 4); }), HazardKind::misaligned, {"store wide"});
}

__global__ void store_first(int* data) { data[threadIdx.x] = 1; }

TEST(Errors, AFaultStopsTheLaunchWithTheErrorOfAGpu)
{
    Ints data(8);
    char* bytes = reinterpret_cast<char*>(data.data);
    struct Fault {
        std::function<void()> launch;
        cudaError_t error;
    };
    const Fault faults[] = {{[&] { store_wide<<<1, 1>>>(bytes + 4); }, cudaErrorMisalignedAddress},
                            {[&] { store_first<<<1, 1>>>(nullptr); }, cudaErrorIllegalAddress},
                            {[&] { store_first<<<1, 8>>>(data.data); }, cudaSuccess}};
    for (const Fault& fault : faults) {
        model::take_launches();
        fault.launch();
        EXPECT_EQ(cudaGetLastError(), fault.error);
        const auto launches = model::take_launches();
        ASSERT_EQ(launches.size(), 1u);
        EXPECT_EQ(launches[0].stopped, fault.error != cudaSuccess);
    }
    model::take_hazards();
}

TEST(UseAfterFree, FreedMemoryIsNotAccessed)
{
    Ints output(1);
    int* data = nullptr;
    cudaMalloc(&data, 16);
    cudaFree(data);
    expect_one(hazards_of([&] { read_at<<<1, 1>>>(output.data, data, 0); }), HazardKind::use_after_free, {"far away"});
}

// Barriers

__global__ void barrier_under_condition(int* data, int n)
{
    if (threadIdx.x < n) {
        data[threadIdx.x] = 1;
        __syncthreads();  // here: under condition
    }
}

__global__ void two_barriers(int* data)
{
    if (threadIdx.x % 2) {
        data[threadIdx.x] = 1;
        __syncthreads();  // here: odd barrier
    } else {
        data[threadIdx.x] = 2;
        __syncthreads();  // here: even barrier
    }
}

TEST(DivergentBarrier, NotReachedByAllThreads)
{
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { barrier_under_condition<<<1, N>>>(data.data, N); }).empty());
    expect_one(hazards_of([&] { barrier_under_condition<<<1, N>>>(data.data, N / 2); }), HazardKind::divergent_barrier,
               {"under condition"});
    expect_one(hazards_of([&] { two_barriers<<<1, N>>>(data.data); }), HazardKind::divergent_barrier, {"even barrier", "odd barrier"});
}

__global__ void wait_for_nobody(int* data)
{
    if (threadIdx.x < 16) __syncwarp(~0u);
    __syncthreads();
    data[threadIdx.x] = 1;
}

TEST(Deadlock, LanesThatWaitForOnesThatNeverCome)
{
    Ints data(32);
    const auto hazards = hazards_of([&] { wait_for_nobody<<<1, 32>>>(data.data); });
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::deadlock);
}

// What ends a kernel and is no hazard

__global__ void wait_in_shared_memory(int* data)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (ready == 0) {}
    if (threadIdx.x == N - 1) ready = 1;
    data[threadIdx.x] = 1;
}

TEST(Progress, AThreadThatSpinsLetsOthersRun)
{
    Ints data(N);
    for (const Hazard& hazard : hazards_of([&] { wait_in_shared_memory<<<1, N>>>(data.data); }))
        EXPECT_EQ(hazard.kind, HazardKind::race) << "a plain flag races, and no more";
    EXPECT_TRUE(model::take_errors().empty());
}

__device__ int recurse(int* data, int depth) { return depth < 0 ? 0 : data[0] + recurse(data, depth + 1) * 3 + depth; }
__global__ void runaway(int* data) { data[1] = recurse(data, 1); }
__global__ void divide(int* data, int by) { data[0] /= by; }

std::string error_of(const std::function<void()>& launch, cudaError_t code = cudaErrorLaunchFailure)
{
    model::take_hazards();
    model::take_errors();
    launch();
    EXPECT_EQ(cudaGetLastError(), code);
    const auto hazards = model::take_hazards();
    EXPECT_TRUE(hazards.empty()) << hazards[0].message;
    const auto errors = model::take_errors();
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? "" : errors[0];
}

TEST(Errors, RecursionEndsTheKernelOnly)
{
    Ints data(2);
    EXPECT_NE(error_of([&] { runaway<<<1, 1>>>(data.data); }, cudaErrorHardwareStackError).find("recursion"), std::string::npos);
    EXPECT_TRUE(hazards_of([&] { divide<<<1, 1>>>(data.data, 1); }).empty());
}

TEST(Errors, DivisionByZeroIsNone)
{
    Ints data(2);
    EXPECT_TRUE(hazards_of([&] { divide<<<1, 1>>>(data.data, 0); }).empty());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_TRUE(model::take_errors().empty());
    int quotient = 0;
    cudaMemcpy(&quotient, data.data, sizeof quotient, cudaMemcpyDeviceToHost);
    EXPECT_EQ(quotient, -1) << "as GPUs have it";
}

__global__ void assert_small(int* data, int limit)
{
    const int i = threadIdx.x;
    data[i] = i;
    assert(i < limit);  // here: assertion
}
__global__ void trap_large(int* data, int limit)
{
    const int i = threadIdx.x;
    if (i >= limit) __trap();  // here: trap
    data[i] = i;
}

TEST(Errors, AreReportedWithThreadAndLine)
{
    Ints data(64);
    const auto place = [](const char* marker) { return ", hazards_test.cu:" + std::to_string(line_of(marker)); };
    EXPECT_EQ(error_of([&] { assert_small<<<1, 64>>>(data.data, 40); }, cudaErrorAssert),
              "kernel assert_small, block (0, 0, 0), thread (40, 0, 0): assertion `i < limit' failed" + place("assertion"));
    EXPECT_EQ(error_of([&] { trap_large<<<1, 64>>>(data.data, 40); }),
              "kernel trap_large, block (0, 0, 0), thread (40, 0, 0): the kernel stopped itself" + place("trap"));
}

}  // namespace
