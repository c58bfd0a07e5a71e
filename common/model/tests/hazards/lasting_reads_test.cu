// Reads of shared memory that go on after their instruction: products by wgmma, and bulk copies to global memory. A barrier does not end
// them, only the wait for them does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model_results.hpp"

namespace lasting_reads {
namespace {

using simt::Hazard;
using simt::HazardKind;

constexpr int threads = 128, tile_words = 576;
constexpr unsigned b_bytes = 256;

enum class Wait { before_the_barrier, after_the_write, never };
enum class Writer { threads, engine, issuer };

__device__ unsigned address_of(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

/// Overwrites B, the last 256 bytes of the tiles.
__device__ void overwrite(unsigned* tiles, unsigned long long* barrier, Writer writer, const float* from) {
    if (writer == Writer::threads && threadIdx.x < b_bytes / 4) tiles[512 + threadIdx.x] = 1;
    if (writer == Writer::issuer && threadIdx.x == 0) tiles[512] = 1;
    if (writer != Writer::engine) return;
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(address_of(barrier)),
            "r"(b_bytes), "r"(address_of(tiles + 512)), "l"(__cvta_generic_to_global(from))
            : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(address_of(barrier))
                     : "memory");
}

__device__ void fill(unsigned* tiles, unsigned long long* barrier) {
    for (int i = threadIdx.x; i < tile_words; i += threads) tiles[i] = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address_of(barrier)) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

/// D = A · B of zeros, 64 × 8 × 16: A is the first 2,048 bytes.
__global__ void multiply(Wait wait, Writer writer, float* global) {
    __shared__ __align__(128) unsigned tiles[tile_words];
    __shared__ unsigned long long barrier;
    fill(tiles, &barrier);
    const unsigned long long a = address_of(tiles) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    asm volatile(
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(a), "l"(a + 128)
        : "memory");
    if (wait == Wait::before_the_barrier) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    overwrite(tiles, &barrier, writer, global);
    __syncthreads();
    if (wait == Wait::after_the_write) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    global[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void copy(Wait wait, Writer writer, float* global) {
    __shared__ __align__(128) unsigned tiles[tile_words];
    __shared__ unsigned long long barrier;
    fill(tiles, &barrier);
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
            "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(global + 64)),
            "r"(address_of(tiles + 512)), "r"(b_bytes)
            : "memory");
    if (threadIdx.x == 0 && wait == Wait::before_the_barrier) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncthreads();
    overwrite(tiles, &barrier, writer, global);
    __syncthreads();
    if (threadIdx.x == 0 && wait == Wait::after_the_write) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

std::vector<Hazard> hazards_of(void (*kernel)(Wait, Writer, float*), Wait wait, Writer writer) {
    model::take_hazards();
    float* global;
    cudaMalloc(&global, threads * sizeof(float));
    cudaMemset(global, 0, threads * sizeof(float));
    kernel<<<1, threads>>>(wait, writer, global);
    cudaDeviceSynchronize();
    cudaFree(global);
    return model::take_hazards();
}

void expect_until_the_wait(void (*kernel)(Wait, Writer, float*)) {
    for (const Writer writer : {Writer::threads, Writer::engine, Writer::issuer}) {
        const testing::ScopedTrace trace(__FILE__, __LINE__, static_cast<int>(writer));
        EXPECT_TRUE(hazards_of(kernel, Wait::before_the_barrier, writer).empty());
        for (const Wait wait : {Wait::after_the_write, Wait::never}) {
            const auto hazards = hazards_of(kernel, wait, writer);
            ASSERT_FALSE(hazards.empty());
            EXPECT_EQ(hazards[0].kind, HazardKind::race);
            EXPECT_NE(hazards[0].message.text().find("that it has not waited for"), std::string::npos) << hazards[0].message.text();
        }
    }
}

TEST(LastingReads, OfAProductGoOnUntilItsWait) { expect_until_the_wait(multiply); }

TEST(LastingReads, OfACopyGoOnUntilItsWait) { expect_until_the_wait(copy); }

}  // namespace
}  // namespace lasting_reads
