// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Chains of loads that wait for one another, in kernels whose chains are known by hand.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "model_results.hpp"

namespace {

constexpr int ring_size = 64;

struct Node {
    Node* next;
    int value;
};

__global__ void make_ring(int* next, Node* nodes) {
    const int i = threadIdx.x;
    next[i] = (i + 5) % ring_size;
    nodes[i] = {&nodes[(i + 5) % ring_size], i};
}

__global__ void walk(int* output, const int* next, int loads) {
    int at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < loads; ++i) at = next[at];
    output[threadIdx.x] = at;
}

__global__ void walk_nodes(int* output, const Node* node, int loads) {
#pragma unroll 1
    for (int i = 0; i < loads; ++i) node = node->next;
    output[threadIdx.x] = node->value;
}

__global__ void walk_in_shared_memory(int* output, const int* next, int loads) {
    __shared__ int own[ring_size];
    own[threadIdx.x] = next[threadIdx.x];
    __syncthreads();
    int at = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < loads; ++i) at = own[at];
    output[threadIdx.x] = at;
}

/// Each lane has a chain of its own length: that of the first lane counts.
__global__ void walk_apart(int* output, const int* next, int of_first, int of_others) {
    int at = threadIdx.x;
    const int loads = threadIdx.x % 32 == 0 ? of_first : of_others;
#pragma unroll 1
    for (int i = 0; i < loads; ++i) at = next[at];
    output[threadIdx.x] = at;
}

__global__ void add_up(int* output, const int* values, int loads) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < loads; ++i) sum += values[(threadIdx.x + i) % ring_size];
    output[threadIdx.x] = sum;
}

__global__ void gather(int* output, const int* index) { output[threadIdx.x] = index[index[threadIdx.x]]; }

/// The first step of each walk begins anew.
__global__ void begin_again(int* output, const int* next, int walks) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < walks; ++i) sum += next[next[(threadIdx.x + i) % ring_size]];
    output[threadIdx.x] = sum;
}

__global__ void search(int* output, const int* sorted, int wanted) {
    int low = 0, high = ring_size;
#pragma unroll 1
    while (low + 1 < high) {
        const int middle = (low + high) / 2;
        const bool is_above = sorted[middle] > wanted + static_cast<int>(threadIdx.x);
        low = is_above ? low : middle;
        high = is_above ? middle : high;
    }
    output[threadIdx.x] = low;
}

class Chains : public testing::Test {
protected:
    void SetUp() override {
        model::set_machine("sm_90");
        cudaMalloc(&next, ring_size * sizeof *next);
        cudaMalloc(&nodes, ring_size * sizeof *nodes);
        cudaMalloc(&output, ring_size * sizeof *output);
        make_ring<<<1, ring_size>>>(next, nodes);
        cudaDeviceSynchronize();
        model::take_launches();
    }
    void TearDown() override {
        cudaFree(next);
        cudaFree(nodes);
        cudaFree(output);
    }

    /// The longest chains of the block, of global and of shared memory, of the last launch.
    static std::pair<std::uint64_t, std::uint64_t> longest() {
        cudaDeviceSynchronize();
        const auto launches = model::take_launches();
        const simt::Work& most = launches.at(0).work.most;
        return {most.loads_in_a_row, most.shared_loads_in_a_row};
    }

    using Longest = std::pair<std::uint64_t, std::uint64_t>;
    int *next = nullptr, *output = nullptr;
    Node* nodes = nullptr;
};

TEST_F(Chains, OfAWalkHasAllItsLoads) {
    walk<<<1, ring_size>>>(output, next, 100);
    EXPECT_EQ(longest(), Longest(100, 0));
    walk<<<1, ring_size>>>(output, next, 1);
    EXPECT_EQ(longest(), Longest(1, 0));
    // The value of the last node is a load more, by an address that 100 loads have found.
    walk_nodes<<<1, ring_size>>>(output, nodes, 100);
    EXPECT_EQ(longest(), Longest(100, 0));
}

TEST_F(Chains, GoThroughSharedMemory) {
    walk_in_shared_memory<<<1, ring_size>>>(output, next, 70);
    EXPECT_EQ(longest(), Longest(0, 70));
}

TEST_F(Chains, AreThoseOfTheFirstLane) {
    walk_apart<<<1, ring_size>>>(output, next, 20, 50);
    EXPECT_EQ(longest(), Longest(20, 0));
    walk_apart<<<1, ring_size>>>(output, next, 50, 20);
    EXPECT_EQ(longest(), Longest(50, 0));
}

TEST_F(Chains, HaveNoLoadThatWaitsForNone) {
    add_up<<<1, ring_size>>>(output, next, 50);
    EXPECT_EQ(longest(), Longest(0, 0));
    gather<<<1, ring_size>>>(output, next);
    EXPECT_EQ(longest(), Longest(1, 0));
    begin_again<<<1, ring_size>>>(output, next, 50);
    EXPECT_EQ(longest(), Longest(1, 0));
}

TEST_F(Chains, OfABinarySearchHasALoadForEachHalf) {
    search<<<1, ring_size>>>(output, next, 3);
    EXPECT_EQ(longest().first, 6u);
}

}  // namespace
