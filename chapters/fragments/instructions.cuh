// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The instructions of tensor cores that this chapter uses, and how their operands reach registers.
#pragma once

#include <cuda_fp16.h>

// [constants]
// A block multiplies a tile with itself. Each of its 16 warps computes 16 x 16 elements of the product.
constexpr int TILE_DIM = 64;
constexpr int PART_DIM = 16;
constexpr int PARTS = TILE_DIM / PART_DIM;
constexpr int THREADS = 32 * PARTS * PARTS;

// A unit is 16 bytes: 8 halves, and a row of a matrix of ldmatrix.
constexpr int UNIT = 8;
constexpr int UNITS = TILE_DIM / UNIT;
// [/constants]

// [ldmatrix]
// Loads four matrices of 8 x 8 halves. Lane l points at row l % 8 of matrix l / 8. Of each matrix it
// receives two neighboring halves of row l / 4.
__device__ void ldmatrix(unsigned (&to)[4], const half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))  // by rows
        : "memory");
}

// The same, but lane l receives two halves of column l / 4, one below the other.
__device__ void ldmatrix_trans(unsigned (&to)[4], const half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))  // by columns
        : "memory");
}
// [/ldmatrix]

// [mma]
// Adds the product of 16 x 16 halves and 16 x 8 halves to 16 x 8 sums.
__device__ void mma(float* sums, const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// [/mma]

// [registers]
// Two halves that lie side by side, in one register.
__device__ unsigned pair_at(const half* halves) { return *reinterpret_cast<const unsigned*>(halves); }

// Two halves from anywhere, in one register.
__device__ unsigned pair_of(half low, half high)
{
    half2 both(low, high);
    return *reinterpret_cast<unsigned*>(&both);
}
// [/registers]

// [unit_at]
// The unit at column x of row y, or zeros outside of the matrix.
__device__ uint4 unit_at(const half* input, int x, int y, int width, int height)
{
    return x < width && y < height ? *reinterpret_cast<const uint4*>(&input[y * width + x]) : uint4{};
}
// [/unit_at]

// [store_part]
// Stores the sums of a warp. Of rows l / 4 and l / 4 + 8 of the part, lane l holds two neighbors in the
// left half and two in the right half. Lanes l and l ^ 1 exchange one of these pairs, so that each lane
// stores four neighbors.
__device__ void store_part(half* output, const float* sums, int x, int y, int width, int height)
{
    int lane = threadIdx.x % 32, odd = lane % 2;
    for (int i = 0; i < 2; ++i) {
        half2 left = __floats2half2_rn(sums[2 * i], sums[2 * i + 1]);
        half2 right = __floats2half2_rn(sums[2 * i + 4], sums[2 * i + 5]);
        half2 other = __shfl_xor_sync(~0u, odd ? left : right, 1);
        half2 four[] = {odd ? other : left, odd ? right : other};

        // Good: four neighboring lanes store a sector.
        int row = y + lane / 4 + 8 * i, column = x + lane % 4 / 2 * 4 + 8 * odd;
        if (column < width && row < height)
            *reinterpret_cast<uint2*>(&output[row * width + column]) = *reinterpret_cast<uint2*>(four);
    }
}
// [/store_part]
