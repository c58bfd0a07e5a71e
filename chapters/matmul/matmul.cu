// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How does a matrix product get from one thread an element to the speed of a library?
//
// C = A B, with elements of bf16 and sums of float. Each kernel changes one thing.

#include "mma.cuh"
#include "plain.cuh"
#include "wgmma.cuh"

#include "launches.cuh"

// [entry]
int main(int argc, char** argv)
{
    ProductChapter chapter("matmul", "How does a matrix product get to the speed of a library?");
    chapter.sizes({{512, 512}, {256, 128}, {200, 141}, {72, 33}, {8, 8}, {8, 1}});
    chapter.gpu_sizes({{8192, 8192}, {2048, 2048}, {4096, 4096}, {16384, 16384}, {8200, 8168}});
    chapter.traffic_sizes({{8192, 8192}});
    chapter.counted_size({512, 512});
    chapter.whole_tiles(256);
    chapter.rows_of_smallest_tile(16);
    chapter.only_compute_capability(9, 0, "wgmma is an instruction of these GPUs alone");

    chapter.add(plain("matmul_naive", matmul_naive, 16, dim3(16, 16),
        {global_load.sectors_per_request == 1.5, global_store.sectors_per_request == 2}));
    chapter.add(plain("matmul_tile", matmul_tile, TILE_DIM, dim3(TILE_DIM, TILE_DIM),
        {global_load.sectors_per_request == 2, shared_load.conflicts == 0, shared_store.conflicts == 0}));
    chapter.add(plain("matmul_registers", matmul_registers, PART_DIM, dim3(256),
        {shared_load.wavefronts_per_instruction == 3, shared_load.conflicts == 0,
            shared_store.conflicts == 0}));

    // A matrix of ldmatrix takes one wavefront at best, and an instruction loads four.
    chapter.add(by_mma("matmul_mma", matmul_mma, 0,
        {shared_load.wavefronts_per_instruction == 32, shared_store.conflicts == 0}));
    chapter.add(by_mma("matmul_swizzled", matmul_swizzled, 0,
        {shared_load.wavefronts_per_instruction == 4, shared_store.conflicts == 0}));
    chapter.add(by_mma("matmul_stages", matmul_stages, STAGES * STAGE * sizeof(bf16),
        {shared_load.wavefronts_per_instruction == 4, global_store.sectors_per_request == 8}));
    chapter.add(by_tma("matmul_tma", matmul_tma));
    chapter.add(by_wgmma("matmul_wgmma", matmul_wgmma));
    chapter.add(by_wgmma("matmul_ordered", matmul_ordered));

    return chapter.run(argc, argv);
}
// [/entry]
