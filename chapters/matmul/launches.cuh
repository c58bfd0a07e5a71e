// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The launches of this chapter's kernels, and their expected counts. Include their files before this one.
#pragma once

#include <conflict_free/product_chapter.hpp>

#include "tensor_map.cuh"
#include "tiles.cuh"

using namespace conflict_free;

using OnPointers = void (*)(bf16*, const bf16*, const bf16*, int, int, int);
using OnTensors = void (*)(bf16*, CUtensorMap, CUtensorMap, int, int, int);

// The grid of one block for each tile of C.
dim3 grid_of(const Product& p, int tile_n, int tile_m)
{
    return dim3((p.n + tile_n - 1) / tile_n, (p.m + tile_m - 1) / tile_m);
}

// Permits a kernel as much dynamic shared memory as it takes.
void permit_shared(const void* kernel, std::size_t bytes)
{
    CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

ProductChapter::Kernel plain(
    std::string name, OnPointers kernel, int tile, dim3 block, std::vector<Expectation> expect)
{
    const auto launch = [=](const Product& p) {
        kernel<<<grid_of(p, tile, tile), block>>>(p.c, p.a, p.b, p.m, p.n, p.k);
    };
    return {.name = std::move(name), .launch = launch, .expect = std::move(expect), .sizes = at_most(8192)};
}

ProductChapter::Kernel by_mma(
    std::string name, OnPointers kernel, std::size_t shared_bytes, std::vector<Expectation> expect)
{
    const auto launch = [=](const Product& p) {
        permit_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
        kernel<<<grid_of(p, TILE_N, TILE_M), THREADS, shared_bytes>>>(p.c, p.a, p.b, p.m, p.n, p.k);
    };
    return {.name = std::move(name), .launch = launch, .expect = std::move(expect)};
}

ProductChapter::Kernel by_tma(std::string name, OnTensors kernel)
{
    const auto launch = [=](const Product& p) {
        constexpr std::size_t shared_bytes = STAGES * STAGE * sizeof(bf16);
        permit_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
        kernel<<<grid_of(p, TILE_N, TILE_M), THREADS, shared_bytes>>>(
            p.c, tensor_map(p.a, p.k, p.m, TILE_M), tensor_map(p.b, p.n, p.k, TILE_K), p.m, p.n, p.k);
    };
    return {.name = std::move(name),
        .launch = launch,
        .expect = {shared_load.wavefronts_per_instruction == 4, global_store.sectors_per_request == 8}};
}

ProductChapter::Kernel by_wgmma(std::string name, OnTensors kernel)
{
    const auto launch = [=](const Product& p) {
        constexpr std::size_t shared_bytes = WGMMA_STAGES * WGMMA_STAGE * sizeof(bf16);
        permit_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
        int multiprocessors = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        const dim3 tiles = grid_of(p, WIDE_N, TILE_M);
        kernel<<<std::min<unsigned>(tiles.x * tiles.y, multiprocessors), WGMMA_THREADS, shared_bytes>>>(
            p.c, tensor_map(p.a, p.k, p.m, TILE_M), tensor_map(p.b, p.n, p.k, TILE_K), p.m, p.n, p.k);
    };
    return {.name = std::move(name), .launch = launch, .expect = {global_store.sectors_per_request == 8}};
}
