// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Products by mma.sync: eight warps load fragments from shared memory, and each computes 64 x 32 sums.
#pragma once

#include "tiles.cuh"

// [add_product]
// The part of a warp: four fragments down, and two pairs of fragments across.
struct Sums {
    float values[4][4][4] = {};
    __device__ static int top() { return threadIdx.x / 32 / 4 * 64; }
    __device__ static int left() { return threadIdx.x / 32 % 4 * 32; }

    // Adds the product of two tiles.
    template <class Layout>
    __device__ void add_product(bf16* a_tile, bf16* b_tile)
    {
        int lane = threadIdx.x % 32;
        for (int k = 0; k < TILE_K; k += 16) {
            unsigned a[4][4], b[2][4];
            for (int i = 0; i < 4; ++i)
                ldmatrix(a[i],
                    unit_of<Layout, TILE_M>(a_tile, top() + 16 * i + lane % 16, k + lane / 16 * UNIT));
            for (int j = 0; j < 2; ++j)
                ldmatrix_trans(b[j],
                    unit_of<Layout, TILE_K>(b_tile, k + lane % 16, left() + 16 * j + lane / 16 * UNIT));
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    mma(values[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }

    __device__ void store(bf16* c, int x, int y, int n, int m) const
    {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 2; ++j)
                store_pair(c, values[i][2 * j], x + left() + 16 * j, y + top() + 16 * i, n, m);
    }
};
// [/add_product]

// [matmul_by_tiles]
// Copies a tile of ROWS x COLUMNS through registers. Outside of the matrix there are zeros.
template <class Layout, int ROWS, int COLUMNS>
__device__ void load_tile(bf16* tile, const bf16* matrix, int x, int y, int width, int height)
{
    for (int i = threadIdx.x; i < ROWS * COLUMNS / UNIT; i += THREADS) {
        int row = i / (COLUMNS / UNIT), column = i % (COLUMNS / UNIT) * UNIT;
        bool inside = x + column < width && y + row < height;
        *reinterpret_cast<uint4*>(unit_of<Layout, ROWS>(tile, row, column)) =
            inside ? *reinterpret_cast<const uint4*>(&matrix[(y + row) * width + x + column]) : uint4{};
    }
}

template <class Layout>
__device__ void matmul_by_tiles(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    __shared__ alignas(128) bf16 a_tile[TILE_M * TILE_K], b_tile[TILE_K * TILE_N];
    int left = blockIdx.x * TILE_N, top = blockIdx.y * TILE_M;

    Sums sums;
    for (int i = 0; i < k; i += TILE_K) {
        load_tile<Layout, TILE_M, TILE_K>(a_tile, a, i, top, k, m);
        load_tile<Layout, TILE_K, TILE_N>(b_tile, b, left, i, n, k);
        __syncthreads();
        sums.add_product<Layout>(a_tile, b_tile);
        __syncthreads();
    }
    sums.store(c, left, top, n, m);
}
// [/matmul_by_tiles]

// [matmul_mma]
__global__ void __launch_bounds__(THREADS, 2)
    matmul_mma(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    // Bad: eight rows of a fragment lie in the same four banks.
    matmul_by_tiles<InOrder>(c, a, b, m, n, k);
}
// [/matmul_mma]

// [matmul_swizzled]
__global__ void __launch_bounds__(THREADS, 2)
    matmul_swizzled(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    // Good: eight rows of a fragment fill all banks.
    matmul_by_tiles<Swizzled>(c, a, b, m, n, k);
}
// [/matmul_swizzled]

// [ask_for_tile]
constexpr int STAGES = 3;
constexpr int STAGE = TILE_M * TILE_K + TILE_K * TILE_N;

template <int ROWS, int COLUMNS>
__device__ void ask_for_tile(bf16* tile, const bf16* matrix, int x, int y, int width, int height)
{
    for (int i = threadIdx.x; i < ROWS * COLUMNS / UNIT; i += THREADS) {
        int row = i / (COLUMNS / UNIT), column = i % (COLUMNS / UNIT) * UNIT;
        bool inside = x + column < width && y + row < height;
        copy_16_bytes(unit_of<Swizzled, ROWS>(tile, row, column),
            inside ? &matrix[(y + row) * width + x + column] : matrix, inside);
    }
}
// [/ask_for_tile]

// [matmul_stages]
__global__ void __launch_bounds__(THREADS, 2)
    matmul_stages(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    int left = blockIdx.x * TILE_N, top = blockIdx.y * TILE_M;

    auto ask = [&](int i) {
        if (i * TILE_K < k) {
            bf16* a_tile = stages + i % STAGES * STAGE;
            ask_for_tile<TILE_M, TILE_K>(a_tile, a, i * TILE_K, top, k, m);
            ask_for_tile<TILE_K, TILE_N>(a_tile + TILE_M * TILE_K, b, left, i * TILE_K, n, k);
        }
        end_group();
    };
    for (int i = 0; i < STAGES - 1; ++i)
        ask(i);

    Sums sums;
    for (int i = 0; i * TILE_K < k; ++i) {
        wait_for_groups<STAGES - 2>();
        // All copies of this stage are there, and all threads have read the stage before it.
        __syncthreads();
        // Good: the tiles of two later steps come while the threads multiply.
        ask(i + STAGES - 1);
        bf16* a_tile = stages + i % STAGES * STAGE;
        sums.add_product<Swizzled>(a_tile, a_tile + TILE_M * TILE_K);
    }
    sums.store(c, left, top, n, m);
}
// [/matmul_stages]

// [matmul_tma]
__global__ void __launch_bounds__(THREADS, 2) matmul_tma(bf16* c, const __grid_constant__ CUtensorMap a,
    const __grid_constant__ CUtensorMap b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    __shared__ Barrier loaded[STAGES];
    int left = blockIdx.x * TILE_N, top = blockIdx.y * TILE_M;

    if (threadIdx.x == 0) {
        for (Barrier& barrier : loaded)
            make_barrier(barrier, 1);
        publish_barriers();
    }
    __syncthreads();

    auto ask = [&](int i) {
        if (threadIdx.x > 0 || i * TILE_K >= k)
            return;
        bf16* a_tile = stages + i % STAGES * STAGE;
        bf16* b_tile = a_tile + TILE_M * TILE_K;
        arrive_and_expect(loaded[i % STAGES], STAGE * sizeof(bf16));
        copy_box(a_tile, a, i * TILE_K, top, loaded[i % STAGES]);
        for (int x = 0; x < TILE_N; x += BOX)
            copy_box(b_tile + x * TILE_K, b, left + x, i * TILE_K, loaded[i % STAGES]);
    };
    for (int i = 0; i < STAGES - 1; ++i)
        ask(i);

    Sums sums;
    for (int i = 0; i * TILE_K < k; ++i) {
        wait(loaded[i % STAGES], i / STAGES % 2);
        // All threads have read the stage before this one.
        __syncthreads();
        // Good: one thread asks for both tiles, and the engine swizzles them.
        ask(i + STAGES - 1);
        bf16* a_tile = stages + i % STAGES * STAGE;
        sums.add_product<Swizzled>(a_tile, a_tile + TILE_M * TILE_K);
    }
    sums.store(c, left, top, n, m);
}
// [/matmul_tma]
