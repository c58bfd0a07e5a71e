// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Products by wgmma: four warps together multiply tiles where they lie, in shared memory.
#pragma once

#include "tiles.cuh"

// [wgmma]
// A tile in shared memory as wgmma wants it told: address, two strides, and the swizzle of 128 bytes.
// A row of the tile is 128 bytes, and eight rows are 1024. For a tile that is multiplied down its columns,
// `box_bytes` lead from a box to the one beside it.
__device__ unsigned long long tile_descriptor(const bf16* tile, unsigned box_bytes)
{
    constexpr unsigned long long SWIZZLE_128 = 1ull << 62, EIGHT_ROWS = 1024;
    return SWIZZLE_128 | EIGHT_ROWS / 16 << 32 | static_cast<unsigned long long>(box_bytes / 16) << 16 |
           (shared_address(tile) & 0x3ffff) / 16;
}

// Adds the product of 64 x 16 and 16 x 256 elements to 64 x 256 sums, or stores it if `add` is false.
__device__ void wgmma(float (&sums)[128], unsigned long long a, unsigned long long b, bool add)
{
#define SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
    asm volatile(
        "{\n"
        ".reg .pred adds;\n"
        "setp.ne.b32 adds, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, adds, 1, 1, 0, 1;\n"
        "}"
        : SUMS_16(0), SUMS_16(16), SUMS_16(32), SUMS_16(48), SUMS_16(64), SUMS_16(80), SUMS_16(96),
        SUMS_16(112)
        : "l"(a), "l"(b), "r"(static_cast<int>(add)));
#undef SUMS_16
#undef SUMS_4
}

// Orders a thread's writes to sums and to shared memory before its products.
__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int LEFT_IN_FLIGHT>
__device__ void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT_IN_FLIGHT) : "memory");
}
// [/wgmma]

// [wgmma_constants]
// A producer and two consumers, of four warps each. A consumer has 64 x 256 sums.
constexpr int WIDE_N = 256;
constexpr int WARP_GROUP = 128;
constexpr int CONSUMERS = TILE_M / 64;
constexpr int WGMMA_THREADS = WARP_GROUP * (1 + CONSUMERS);

constexpr int WGMMA_STAGES = 4;
constexpr int WGMMA_STAGE = TILE_M * TILE_K + TILE_K * WIDE_N;

// The registers of a thread: the producer gives up what the consumers need.
constexpr int PRODUCER_REGISTERS = 40;
constexpr int CONSUMER_REGISTERS = 232;
// [/wgmma_constants]

// [orders]
// The tile of C that a block computes in turn `turn`: row by row of tiles, or column by column within
// groups of rows, so that the tiles that are computed at once share rows of A and columns of B in the L2.
struct RowByRow {
    __device__ static int2 tile(int turn, int tiles_down, int tiles_across)
    {
        return {turn % tiles_across, turn / tiles_across};
    }
};

template <int GROUP>
struct InGroups {
    __device__ static int2 tile(int turn, int tiles_down, int tiles_across)
    {
        int first = turn / (GROUP * tiles_across) * GROUP, within = turn % (GROUP * tiles_across);
        int rows = min(GROUP, tiles_down - first);
        return {within / rows, first + within % rows};
    }
};
// [/orders]

// [matmul_by_groups]
template <class Order>
__device__ void matmul_by_groups(bf16* c, const CUtensorMap& a, const CUtensorMap& b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    __shared__ Barrier loaded[WGMMA_STAGES], used[WGMMA_STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < WGMMA_STAGES; ++i) {
            make_barrier(loaded[i], 1);
            make_barrier(used[i], CONSUMERS);
        }
        publish_barriers();
    }
    __syncthreads();

    int tiles_down = (m + TILE_M - 1) / TILE_M, tiles_across = (n + WIDE_N - 1) / WIDE_N;
    int step = 0, group = threadIdx.x / WARP_GROUP;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x > 0)
            return;
        for (int turn = blockIdx.x; turn < tiles_down * tiles_across; turn += gridDim.x) {
            int2 tile = Order::tile(turn, tiles_down, tiles_across);
            for (int i = 0; i < k; i += TILE_K, ++step) {
                int stage = step % WGMMA_STAGES;
                bf16* a_tile = stages + stage * WGMMA_STAGE;
                bf16* b_tile = a_tile + TILE_M * TILE_K;
                // In the first round all stages are free: phase -1 counts as complete.
                wait(used[stage], (step / WGMMA_STAGES + 1) % 2);
                arrive_and_expect(loaded[stage], WGMMA_STAGE * sizeof(bf16));
                copy_box(a_tile, a, i, tile.y * TILE_M, loaded[stage]);
                for (int x = 0; x < WIDE_N; x += BOX)
                    copy_box(b_tile + x * TILE_K, b, tile.x * WIDE_N + x, i, loaded[stage]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        int consumer = group - 1, warp = threadIdx.x / 32 % 4;
        for (int turn = blockIdx.x; turn < tiles_down * tiles_across; turn += gridDim.x) {
            float sums[128];
            for (int i = 0; i < k; i += TILE_K, ++step) {
                int stage = step % WGMMA_STAGES;
                const bf16* a_tile = stages + stage * WGMMA_STAGE + consumer * 64 * TILE_K;
                const bf16* b_tile = stages + stage * WGMMA_STAGE + TILE_M * TILE_K;
                wait(loaded[stage], step / WGMMA_STAGES % 2);
                begin_products();
                for (int j = 0; j < TILE_K; j += 16)
                    wgmma(sums, tile_descriptor(a_tile + j, 0),
                        tile_descriptor(b_tile + j * BOX, BOX * TILE_K * sizeof(bf16)), i + j > 0);
                end_products();
                // The products of the step before have been computed: its stage is free.
                wait_for_products<1>();
                if (i > 0 && threadIdx.x % WARP_GROUP == 0)
                    arrive(used[(step + WGMMA_STAGES - 1) % WGMMA_STAGES]);
            }
            wait_for_products<0>();
            if (threadIdx.x % WARP_GROUP == 0)
                arrive(used[(step + WGMMA_STAGES - 1) % WGMMA_STAGES]);

            int2 tile = Order::tile(turn, tiles_down, tiles_across);
            int y = tile.y * TILE_M + consumer * 64 + warp * 16;
            for (int x = 0; x < WIDE_N; x += 16)
                store_pair(c, &sums[x / 2], tile.x * WIDE_N + x, y, n, m);
        }
    }
}
// [/matmul_by_groups]

// [matmul_wgmma]
__global__ void __launch_bounds__(WGMMA_THREADS, 1) matmul_wgmma(bf16* c,
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int m, int n, int k)
{
    matmul_by_groups<RowByRow>(c, a, b, m, n, k);
}
// [/matmul_wgmma]

// [matmul_ordered]
__global__ void __launch_bounds__(WGMMA_THREADS, 1) matmul_ordered(bf16* c,
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int m, int n, int k)
{
    matmul_by_groups<InGroups<16>>(c, a, b, m, n, k);
}
// [/matmul_ordered]
