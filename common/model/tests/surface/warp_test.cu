// Shuffles, votes, matches and reductions against their definitions, on random values, masks and widths.

#include <algorithm>
#include <bit>

#include "support.hpp"

namespace {

struct Case { int operand, width; };

/// The lane that CUDA's definition names for each kind of shuffle.
int expected_source(int kind, int lane, int operand, int width) {
    const int first = lane / width * width, last = first + width - 1;
    switch (kind) {
        case 0: return first + ((operand % width) + width) % width;
        case 1: return lane - operand >= first ? lane - operand : lane;
        case 2: return lane + operand <= last ? lane + operand : lane;
        default: return (lane ^ operand) <= last ? lane ^ operand : lane;
    }
}

template <class T> __global__ void shuffle(T* out, const T* in, Case c) {
    const T value = in[threadIdx.x];
    out[threadIdx.x] = __shfl_sync(0xffffffff, value, c.operand, c.width);
    out[threadIdx.x + 32] = __shfl_up_sync(0xffffffff, value, c.operand, c.width);
    out[threadIdx.x + 64] = __shfl_down_sync(0xffffffff, value, c.operand, c.width);
    out[threadIdx.x + 96] = __shfl_xor_sync(0xffffffff, value, c.operand, c.width);
}

template <class T> class Shuffles : public testing::Test {};
using ShuffledTypes = testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(Shuffles, ShuffledTypes, );

TYPED_TEST(Shuffles, TakeTheValueOfTheLaneThatTheDefinitionNames) {
    const auto values = random_values<TypeParam>(32);
    Device<TypeParam> in(values), out(128);
    for (int width : {2, 4, 8, 16, 32})
        for (int operand = 0; operand < width; ++operand) {
            counts_of([&] { shuffle<<<1, 32>>>(out.data, in.data, Case{operand, width}); });
            const auto result = out.host();
            for (int kind = 0; kind < 4; ++kind)
                for (int lane = 0; lane < 32; ++lane)
                    ASSERT_EQ(result[32 * kind + lane], values[expected_source(kind, lane, operand, width)])
                        << "kind " << kind << " lane " << lane << " operand " << operand << " width " << width;
        }
}

__global__ void part_of_a_warp(int* out) {
    const unsigned mask = 0x0ff0;
    int result = -1;
    if (mask >> threadIdx.x & 1u) result = __shfl_sync(mask, (int)threadIdx.x * 10, 7);
    out[threadIdx.x] = result;
}

TEST(Warp, LanesOutsideTheMaskTakeNoPart) {
    Device<int> out(32);
    counts_of([&] { part_of_a_warp<<<1, 32>>>(out.data); });
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out.host()[lane], lane >= 4 && lane < 12 ? 70 : -1);
}

__global__ void exchange_in_groups(int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    const unsigned group = __match_any_sync(0xffffffff, lane % 5);
    out[lane] = __shfl_sync(group, lane, lane % 5);
}

TEST(Warp, LanesThatExchangeInGroupsGoOnTogether) {
    Device<int> out(32);
    const auto counts = counts_of([&] { exchange_in_groups<<<1, 32>>>(out.data); });
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out.host()[lane], lane % 5);
    EXPECT_EQ(counts.global_store.requests, 1u);
}

__global__ void read_from_outside(int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffff, (int)threadIdx.x, 20);
}

TEST(Warp, AShuffleFromALaneThatTakesNoPartIsAHazard) {
    Device<int> out(32);
    model::take_hazards();
    read_from_outside<<<1, 32>>>(out.data);
    cudaGetLastError();
    const auto hazards = model::take_hazards();
    model::take_launches();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, simt::HazardKind::inactive_lane);
    ASSERT_FALSE(hazards[0].lines.empty());
    EXPECT_EQ(hazards[0].lines[0].file, "warp_test.cu");
}

__global__ void vote(unsigned* out, const int* in, unsigned mask) {
    if (!(mask >> threadIdx.x & 1u)) return;
    unsigned* mine = out + 5 * threadIdx.x;
    mine[0] = __ballot_sync(mask, in[threadIdx.x]);
    mine[1] = __all_sync(mask, in[threadIdx.x]);
    mine[2] = __any_sync(mask, in[threadIdx.x]);
    mine[3] = __match_any_sync(mask, in[threadIdx.x]);
    int all = -1;
    mine[4] = __match_all_sync(mask, in[threadIdx.x], &all) + (all ? 1u : 0u);
}

TEST(Warp, VotesAndMatchesAreThoseOfTheMask) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 40; ++trial) {
        const unsigned mask = trial == 0 ? ~0u : random() | 1u;
        const int kinds = trial % 4;  // 0: all values equal
        std::vector<int> values(32);
        for (int& value : values) value = kinds == 0 ? trial % 3 : static_cast<int>(random() % (kinds + 1));
        Device<int> in(values);
        Device<unsigned> out(160);
        counts_of([&] { vote<<<1, 32>>>(out.data, in.data, mask); });
        const auto result = out.host();
        unsigned ballot = 0;
        bool equal = true;
        for (int lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1u) {
                if (values[lane]) ballot |= 1u << lane;
                equal &= values[lane] == values[std::countr_zero(mask)];
            }
        for (int lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1u)) continue;
            unsigned same = 0;
            for (int other = 0; other < 32; ++other)
                if ((mask >> other & 1u) && values[other] == values[lane]) same |= 1u << other;
            EXPECT_EQ(result[5 * lane], ballot);
            EXPECT_EQ(result[5 * lane + 1], ballot == mask);
            EXPECT_EQ(result[5 * lane + 2], ballot != 0);
            EXPECT_EQ(result[5 * lane + 3], same);
            EXPECT_EQ(result[5 * lane + 4], equal ? mask + 1u : 0u);
        }
    }
}

__global__ void reduce(unsigned* out, int* signed_out, const unsigned* in, unsigned mask) {
    if (!(mask >> threadIdx.x & 1u)) return;
    const unsigned value = in[threadIdx.x];
    const int as_signed = static_cast<int>(value);
    const unsigned results[] = {__reduce_add_sync(mask, value), __reduce_min_sync(mask, value), __reduce_max_sync(mask, value),
                                __reduce_and_sync(mask, value), __reduce_or_sync(mask, value),  __reduce_xor_sync(mask, value)};
    const int signed_results[] = {__reduce_add_sync(mask, as_signed), __reduce_min_sync(mask, as_signed),
                                  __reduce_max_sync(mask, as_signed)};
    for (int i = 0; i < 6; ++i) out[6 * threadIdx.x + i] = results[i];
    for (int i = 0; i < 3; ++i) signed_out[3 * threadIdx.x + i] = signed_results[i];
}

TEST(Warp, ReductionsAreThoseOfTheMask) {
    for (const unsigned mask : {~0u, 1u, 0x80000001u, 0x00ff0f3cu}) {
        const auto values = random_values<unsigned>(32, mask);
        Device<unsigned> in(values), out(192);
        Device<int> signed_out(96);
        counts_of([&] { reduce<<<1, 32>>>(out.data, signed_out.data, in.data, mask); });
        unsigned sum = 0, least = ~0u, most = 0, all = ~0u, any = 0, odd = 0;
        int signed_least = INT32_MAX, signed_most = INT32_MIN;
        for (int lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1u) {
                const unsigned v = values[lane];
                sum += v, least = std::min(least, v), most = std::max(most, v), all &= v, any |= v, odd ^= v;
                signed_least = std::min(signed_least, int(v)), signed_most = std::max(signed_most, int(v));
            }
        for (int lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1u)) continue;
            const auto result = out.host();
            const std::vector<unsigned> mine(result.begin() + 6 * lane, result.begin() + 6 * lane + 6);
            EXPECT_EQ(mine, (std::vector<unsigned>{sum, least, most, all, any, odd}));
            EXPECT_EQ(signed_out.host()[3 * lane], int(sum));
            EXPECT_EQ(signed_out.host()[3 * lane + 1], signed_least);
            EXPECT_EQ(signed_out.host()[3 * lane + 2], signed_most);
        }
    }
}

__global__ void who_is_here(unsigned* out) {
    unsigned here = 0;
    if (threadIdx.x % 3 == 0) here = __activemask();
    out[threadIdx.x] = here;
}

TEST(Warp, TheActiveMaskHasTheLanesOfTheBranch) {
    Device<unsigned> out(32);
    counts_of([&] { who_is_here<<<1, 32>>>(out.data); });
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out.host()[lane], lane % 3 == 0 ? 0x49249249u : 0u);
}

__global__ void count_at_barrier(int* out, int limit) {
    const int i = threadIdx.x;
    const int count = __syncthreads_count(i < limit), all = __syncthreads_and(i < limit), any = __syncthreads_or(i < limit);
    out[i] = 4 * count + 2 * (all != 0) + (any != 0);
}

TEST(Barrier, CountsPredicates) {
    Device<int> out(96);
    for (int limit : {0, 1, 50, 96}) {
        counts_of([&] { count_at_barrier<<<1, 96>>>(out.data, limit); });
        for (int value : out.host()) EXPECT_EQ(value, 4 * limit + 2 * (limit == 96) + (limit > 0));
    }
}

}  // namespace
