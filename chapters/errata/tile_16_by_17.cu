// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A 16-wide tile padded to 17, called conflict-free: it is on 16 banks.

#include "small_checks.cuh"

// [tile_16_by_17]
__global__ void tile_16_by_17(float* output, const float* input)
{
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = input[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    output[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// [/tile_16_by_17]

int main()
{
    return transposes_wrongly(16, 16, [](float* output, const float* input) {
        tile_16_by_17<<<1, dim3(16, 16)>>>(output, input);
    });
}
