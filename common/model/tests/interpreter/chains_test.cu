// Chains of loads that wait for one another, in kernels whose chains are known by hand.

#include <cstdint>
#include <utility>

#include "surface/support.hpp"

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
    using Longest = std::pair<std::uint64_t, std::uint64_t>;

    void SetUp() override {
        model::set_machine("sm_90");
        counts_of([&] { make_ring<<<1, ring_size>>>(next_.data, nodes_.data); });
    }

    /// The longest chains of the block, of global and of shared memory.
    template <class Launch> static Longest longest(Launch&& launch) {
        const simt::Work most = counts_of(launch).work.most;
        return {most.loads_in_a_row, most.shared_loads_in_a_row};
    }

    Device<int> next_{ring_size}, output_{ring_size};
    Device<Node> nodes_{ring_size};
    int *const next = next_.data, *const output = output_.data;
    Node* const nodes = nodes_.data;
};

TEST_F(Chains, OfAWalkHasAllItsLoads) {
    EXPECT_EQ(longest([&] { walk<<<1, ring_size>>>(output, next, 100); }), Longest(100, 0));
    EXPECT_EQ(longest([&] { walk<<<1, ring_size>>>(output, next, 1); }), Longest(1, 0));
    // The value of the last node is a load more, by an address that 100 loads have found.
    EXPECT_EQ(longest([&] { walk_nodes<<<1, ring_size>>>(output, nodes, 100); }), Longest(100, 0));
}

TEST_F(Chains, GoThroughSharedMemory) {
    EXPECT_EQ(longest([&] { walk_in_shared_memory<<<1, ring_size>>>(output, next, 70); }), Longest(0, 70));
}

TEST_F(Chains, AreThoseOfTheFirstLane) {
    EXPECT_EQ(longest([&] { walk_apart<<<1, ring_size>>>(output, next, 20, 50); }), Longest(20, 0));
    EXPECT_EQ(longest([&] { walk_apart<<<1, ring_size>>>(output, next, 50, 20); }), Longest(50, 0));
}

TEST_F(Chains, HaveNoLoadThatWaitsForNone) {
    EXPECT_EQ(longest([&] { add_up<<<1, ring_size>>>(output, next, 50); }), Longest(0, 0));
    EXPECT_EQ(longest([&] { gather<<<1, ring_size>>>(output, next); }), Longest(1, 0));
    EXPECT_EQ(longest([&] { begin_again<<<1, ring_size>>>(output, next, 50); }), Longest(1, 0));
}

TEST_F(Chains, OfABinarySearchHasALoadForEachHalf) {
    EXPECT_EQ(longest([&] { search<<<1, ring_size>>>(output, next, 3); }).first, 6u);
}

}  // namespace
