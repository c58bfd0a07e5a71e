// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT
#pragma once

constexpr int TILE_DIM = 32;

// For N a multiple of TILE_DIM. The unused column spreads a column of the tile over all banks.
__global__ void transpose(float* out, const float* in, int N) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int x = blockIdx.x * TILE_DIM, y = blockIdx.y * TILE_DIM;
    tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * N + x + threadIdx.x];
    __syncthreads();
    out[(x + threadIdx.y) * N + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
