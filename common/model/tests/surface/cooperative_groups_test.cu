// Cooperative groups: ranks, collective operations and reductions of blocks, tiles and coalesced threads.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>

#include "support.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int fields = 12;

template <unsigned size> __global__ void describe_tiles(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<size>(block);
    const int rank = block.thread_rank();
    int* mine = out + fields * rank;
    const int values[fields] = {
        static_cast<int>(tile.thread_rank()),
        static_cast<int>(tile.size()),
        static_cast<int>(tile.meta_group_rank()),
        static_cast<int>(tile.meta_group_size()),
        tile.shfl(rank, 0),
        tile.shfl_down(rank, 1),
        tile.shfl_up(rank, 1),
        tile.shfl_xor(rank, size / 2),
        tile.any(rank == 5),
        tile.all(rank < 40),
        static_cast<int>(tile.ballot(rank % 2)),
        cg::reduce(tile, rank, cg::plus<int>()),
    };
    for (int i = 0; i < fields; ++i) mine[i] = values[i];
}

template <unsigned size> void check_tiles() {
    const dim3 extent(8, 4, 2);
    Device<int> out(fields * 64);
    counts_of([&] { describe_tiles<size><<<1, extent>>>(out.data); });
    const auto result = out.host();
    for (int rank = 0; rank < 64; ++rank) {
        const int n = size, first = rank / n * n, last = first + n - 1;
        unsigned odd = 0;
        for (int i = 0; i < n; ++i) odd |= static_cast<unsigned>((first + i) % 2) << i;
        const std::vector<int> expected = {rank - first,
                                           n,
                                           rank / n,
                                           64 / n,
                                           first,
                                           rank < last ? rank + 1 : rank,
                                           rank > first ? rank - 1 : rank,
                                           first + ((rank - first) ^ (n / 2)),
                                           first <= 5 && 5 <= last,
                                           last < 40,
                                           static_cast<int>(odd),
                                           n * (first + last) / 2};
        EXPECT_EQ(std::vector<int>(result.begin() + fields * rank, result.begin() + fields * (rank + 1)), expected) << "tile of " << n;
    }
}

TEST(Tiles, OfEverySizeKnowTheirThreads) {
    check_tiles<1>();
    check_tiles<2>();
    check_tiles<8>();
    check_tiles<16>();
    check_tiles<32>();
}

template <int size> __device__ int sum_of(cg::thread_block_tile<size> tile, int value) {
    for (int i = tile.size() / 2; i > 0; i /= 2) value += tile.shfl_down(value, i);
    return value;
}
template <int size> __global__ void add_in_function(int* out) {
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    const int sum = sum_of<size>(tile, tile.thread_rank());
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}

TEST(Tiles, AreTakenByFunctionsThatNameOnlyTheSize) {
    Device<int> out(4);
    add_in_function<16><<<1, 64>>>(out.data);
    EXPECT_EQ(out.host(), std::vector<int>(4, 120));
}

__global__ void tiles_of_tiles(unsigned* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const auto part = cg::tiled_partition<4>(tile);
    out[threadIdx.x] = part.thread_rank() + 10 * part.meta_group_rank() + 100 * part.meta_group_size();
}

TEST(Tiles, CanBeCutFromTiles) {
    Device<unsigned> out(64);
    counts_of([&] { tiles_of_tiles<<<1, 64>>>(out.data); });
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out.host()[i], i % 4 + 10 * (i % 16 / 4) + 400);
}

struct Pair {
    double key;
    int index;
};

__global__ void best(Pair* out, const double* keys) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    Pair mine{keys[threadIdx.x], static_cast<int>(threadIdx.x)};
    mine = cg::reduce(warp, mine, [](const Pair& a, const Pair& b) { return a.key < b.key ? b : a; });
    if (warp.thread_rank() == 0) out[warp.meta_group_rank()] = mine;
}

TEST(Reduce, TakesTypesAndOperationsOfTheProgram) {
    const auto keys = random_values<double>(96);
    Device<double> in(keys);
    Device<Pair> out(3);
    counts_of([&] { best<<<1, 96>>>(out.data, in.data); });
    for (int warp = 0; warp < 3; ++warp) {
        const auto most = std::max_element(keys.begin() + 32 * warp, keys.begin() + 32 * warp + 32);
        EXPECT_EQ(out.host()[warp].key, *most);
        EXPECT_EQ(out.host()[warp].index, most - keys.begin());
    }
}

__global__ void partial_warp(int* out) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int all_equal = 0;
    tile.match_all(5, all_equal);
    out[threadIdx.x] = cg::reduce(tile, 1, cg::plus<int>()) + 100 * all_equal;
}

TEST(Tiles, OfALastWarpThatIsNotFullHaveItsThreads) {
    Device<int> out(40);
    counts_of([&] { partial_warp<<<1, 40>>>(out.data); });
    for (int i = 0; i < 40; ++i) EXPECT_EQ(out.host()[i], i < 32 ? 132 : 108);
}

__device__ int aggregated_increment(int* counter) {
    const cg::coalesced_group here = cg::coalesced_threads();
    int base = 0;
    if (here.thread_rank() == 0) base = atomicAdd(counter, here.size());
    return here.shfl(base, 0) + here.thread_rank();
}

__global__ void filter(int* out, int* count, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[aggregated_increment(count)] = in[i];
}

TEST(CoalescedThreads, AggregateTheirIncrements) {
    const auto values = random_values<int>(500);
    std::vector<int> expected;
    for (int value : values)
        if (value > 0) expected.push_back(value);
    Device<int> in(values), out(values.size()), count(std::vector<int>(1));
    const auto counts = counts_of([&] { filter<<<4, 128>>>(out.data, count.data, in.data, 500); });
    ASSERT_EQ(count.host()[0], static_cast<int>(expected.size()));
    auto result = out.host();
    result.resize(expected.size());
    EXPECT_EQ(result, expected);
    EXPECT_LE(counts.global_atomic.requests, 16u) << "one atomic a warp";
}

__global__ void groups_of_any_kind(int* out) {
    extern __shared__ int values[];
    const auto block = cg::this_thread_block();
    const cg::thread_group group = cg::tiled_partition(block, 8);
    values[threadIdx.x] = threadIdx.x;
    cg::sync(group);
    const int neighbor = values[threadIdx.x / 8 * 8 + (group.thread_rank() + 1) % group.size()];
    block.sync();
    out[threadIdx.x] = neighbor;
}

TEST(ThreadGroup, MayBeATileWhoseSizeIsChosenLate) {
    Device<int> out(64);
    counts_of([&] { groups_of_any_kind<<<1, 64, 64 * sizeof(int)>>>(out.data); });
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out.host()[i], i / 8 * 8 + (i + 1) % 8);
}

}  // namespace
