// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Products without tensor cores: each multiplication is an instruction of a thread.
#pragma once

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

// [matmul_naive]
__global__ void matmul_naive(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= m)
        return;

    float sum = 0;
    for (int i = 0; i < k; ++i) {
        // Bad: two loads for each multiplication. Most ask for what a neighbor asks for, too.
        sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[i * n + column]);
    }
    c[row * n + column] = __float2bfloat16(sum);
}
// [/matmul_naive]

// [matmul_tile]
constexpr int TILE_DIM = 32;

__global__ void matmul_tile(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    __shared__ float a_tile[TILE_DIM][TILE_DIM], b_tile[TILE_DIM][TILE_DIM];
    int column = blockIdx.x * TILE_DIM + threadIdx.x, row = blockIdx.y * TILE_DIM + threadIdx.y;

    float sum = 0;
    for (int i = 0; i < k; i += TILE_DIM) {
        // Good: a block loads each element once, for all 32 threads that need it.
        int x = i + threadIdx.x, y = i + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && x < k ? __bfloat162float(a[row * k + x]) : 0;
        b_tile[threadIdx.y][threadIdx.x] = y < k && column < n ? __bfloat162float(b[y * n + column]) : 0;
        __syncthreads();

        // Bad: still two loads for each multiplication, now from shared memory.
        for (int j = 0; j < TILE_DIM; ++j)
            sum += a_tile[threadIdx.y][j] * b_tile[j][threadIdx.x];
        __syncthreads();
    }
    if (column < n && row < m)
        c[row * n + column] = __float2bfloat16(sum);
}
// [/matmul_tile]

// [matmul_registers]
// A block of 256 threads computes 128 x 128 elements. A thread computes 8 x 8 of them:
// four rows and four columns in each quarter of the block's part.
constexpr int PART_DIM = 128;
constexpr int PART_DEPTH = 16;
constexpr int HALF = PART_DIM / 2;

__device__ float4 four_at(const bf16* matrix, int x, int y, int width, int height)
{
    if (x >= width || y >= height)
        return {};
    uint2 four = *reinterpret_cast<const uint2*>(&matrix[y * width + x]);
    float2 low = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162*>(&four.x));
    float2 high = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162*>(&four.y));
    return make_float4(low.x, low.y, high.x, high.y);
}

__global__ void __launch_bounds__(256)
    matmul_registers(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    // The tile of A is transposed, so that a thread's rows of it lie side by side.
    __shared__ float a_tile[PART_DEPTH][PART_DIM], b_tile[PART_DEPTH][PART_DIM];
    int left = blockIdx.x * PART_DIM, top = blockIdx.y * PART_DIM;
    int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;

    float sums[2][2][4][4] = {};
    for (int i = 0; i < k; i += PART_DEPTH) {
        for (int half = 0; half < 2; ++half) {
            int a_row = threadIdx.x % PART_DIM, a_column = threadIdx.x / PART_DIM * 4 + half * 8;
            float4 four = four_at(a, i + a_column, top + a_row, k, m);
            a_tile[a_column][a_row] = four.x;
            a_tile[a_column + 1][a_row] = four.y;
            a_tile[a_column + 2][a_row] = four.z;
            a_tile[a_column + 3][a_row] = four.w;
            int b_row = threadIdx.x / 32 + half * 8, b_column = threadIdx.x % 32 * 4;
            *reinterpret_cast<float4*>(&b_tile[b_row][b_column]) =
                four_at(b, left + b_column, i + b_row, n, k);
        }
        __syncthreads();

        for (int j = 0; j < PART_DEPTH; ++j) {
            // Good: four loads of 16 bytes for 64 multiplications.
            float4 down[2], across[2];
            for (int half = 0; half < 2; ++half) {
                down[half] = *reinterpret_cast<float4*>(&a_tile[j][y + half * HALF]);
                across[half] = *reinterpret_cast<float4*>(&b_tile[j][x + half * HALF]);
            }
            for (int p = 0; p < 16; ++p)
                for (int q = 0; q < 4; ++q) {
                    const float* rows = &down[p / 4 % 2].x;
                    const float* columns = &across[p / 8].x;
                    sums[p / 4 % 2][p / 8][p % 4][q] += rows[p % 4] * columns[q];
                }
        }
        __syncthreads();
    }
    for (int p = 0; p < 16; ++p) {
        int row = top + y + p / 4 % 2 * HALF + p % 4, column = left + x + p / 8 * HALF;
        const float* four = sums[p / 4 % 2][p / 8][p % 4];
        __nv_bfloat162 pairs[] = {
            __floats2bfloat162_rn(four[0], four[1]), __floats2bfloat162_rn(four[2], four[3])};
        if (row < m && column < n)
            *reinterpret_cast<uint2*>(&c[row * n + column]) = *reinterpret_cast<uint2*>(pairs);
    }
}
// [/matmul_registers]
