// The reads of shared memory by wgmma, and the time until which they last.

#include <gtest/gtest.h>

#include <vector>

#include "model_results.hpp"

namespace {

using simt::Extent;
using simt::Hazard;
using simt::HazardKind;
using simt::Message;
using simt::MessageCode;
using simt::MessageField;

constexpr int warpgroup = 128;

/// The mistake of the kernel, if it makes one.
enum class Mistake { none, no_barrier_before, overwrites_before_wait, leaves_out_a_part, beyond_the_end, no_fence, no_wait };

/// D = A · B of zeros, 64 × 8 × 16: A fills 2,048 bytes of `tiles`, and B 256 behind them. The second warpgroup overwrites B
/// after a barrier.
__global__ void multiply(Mistake mistake, float* out) {
    __shared__ __align__(128) unsigned tiles[(2048 + 256) / 4];
    const int filled = mistake == Mistake::leaves_out_a_part ? 570 : 576;
    for (int i = threadIdx.x; i < filled; i += blockDim.x) tiles[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    if (mistake != Mistake::no_barrier_before) __syncthreads();
    const bool multiplies = threadIdx.x < warpgroup;
    float d[4] = {};
    if (multiplies) {
        const unsigned long long distances = 8ull << 16 | 16ull << 32;
        const unsigned long long a = (__cvta_generic_to_shared(tiles) >> 4) | distances;
        const unsigned long long b =
            ((__cvta_generic_to_shared(tiles) + 2048 + (mistake == Mistake::beyond_the_end ? 128 : 0)) >> 4) | distances;
        if (mistake != Mistake::no_fence) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
            "wgmma.commit_group.sync.aligned;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "l"(a), "l"(b)
            : "memory");
        if (mistake != Mistake::overwrites_before_wait && mistake != Mistake::no_wait)
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    __syncthreads();
    if (!multiplies) tiles[512 + threadIdx.x % 64] = 0x3C00;
    if (multiplies && mistake == Mistake::overwrites_before_wait) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void leave_out_a_warp(float* out) {
    __shared__ __align__(128) unsigned tiles[(2048 + 256) / 4];
    for (int i = threadIdx.x; i < 576; i += blockDim.x) tiles[i] = 0;
    __syncthreads();
    const unsigned long long a = (__cvta_generic_to_shared(tiles) >> 4) | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    if (threadIdx.x < 96)
        asm volatile(
            "wgmma.fence.sync.aligned;\n"
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "l"(a), "l"(a + 128)
            : "memory");
    out[threadIdx.x] = d[0];
}

template <class Kernel> std::vector<Hazard> hazards_of(Kernel&& launch) {
    model::take_hazards();
    float* out;
    cudaMalloc(&out, 2 * warpgroup * sizeof(float));
    launch(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return model::take_hazards();
}

std::vector<Hazard> hazards_of(Mistake mistake) {
    return hazards_of([=](float* out) { multiply<<<1, 2 * warpgroup>>>(mistake, out); });
}

void expect_only(HazardKind kind, const std::vector<Hazard>& hazards) {
    ASSERT_FALSE(hazards.empty());
    for (const Hazard& hazard : hazards) EXPECT_EQ(hazard.kind, kind) << hazard.message.text();
}

TEST(MatricesInSharedMemory, AreReadWithoutHazard) { EXPECT_TRUE(hazards_of(Mistake::none).empty()); }

TEST(MatricesInSharedMemory, AreReadAfterABarrier) { EXPECT_EQ(hazards_of(Mistake::no_barrier_before).front().kind, HazardKind::race); }

TEST(MatricesInSharedMemory, AreReadUntilTheWait) { expect_only(HazardKind::race, hazards_of(Mistake::overwrites_before_wait)); }

TEST(MatricesInSharedMemory, MustHaveBeenWritten) { expect_only(HazardKind::uninitialized, hazards_of(Mistake::leaves_out_a_part)); }

TEST(MatricesInSharedMemory, LieInside) { EXPECT_EQ(hazards_of(Mistake::beyond_the_end).front().kind, HazardKind::out_of_bounds); }

TEST(Products, BeginAfterAFence) {
    const auto hazards = hazards_of(Mistake::no_fence);
    ASSERT_FALSE(hazards.empty());
    expect_only(HazardKind::unordered_product, hazards);
    EXPECT_NE(hazards[0].message.text().find("before any wgmma.fence"), std::string::npos) << hazards[0].message.text();
}

TEST(Products, AreWaitedFor) {
    const auto hazards = hazards_of(Mistake::no_wait);
    ASSERT_FALSE(hazards.empty());
    EXPECT_EQ(hazards.back().kind, HazardKind::unordered_product);
    EXPECT_NE(hazards.back().message.text().find("never waits for"), std::string::npos) << hazards.back().message.text();
}

TEST(MatricesInSharedMemory, AreMultipliedByFourWarps) {
    const auto hazards = hazards_of([](float* out) { leave_out_a_warp<<<1, warpgroup>>>(out); });
    expect_only(HazardKind::deadlock, hazards);
    EXPECT_NE(hazards[0].message.text().find("waits for the other warps of its warpgroup"), std::string::npos) << hazards[0].message.text();
}

}  // namespace
