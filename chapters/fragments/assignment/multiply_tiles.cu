// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Multiply pairs of tiles on tensor cores, without a bank conflict and without padding.

#include <cuda_runtime.h>

constexpr int DIM = 64;    // rows of A and of the product, columns of B and of the product
constexpr int DEPTH = 96;  // columns of A, rows of B
constexpr int UNIT = 8;    // halves in 16 bytes
constexpr int A_UNITS = DEPTH / UNIT;
constexpr int B_UNITS = DIM / UNIT;
constexpr int THREADS = 512;

// Returns where a unit of A lies in shared memory, in units from the beginning of the tile.
__device__ int place_in_a(int row, int unit)
{
    // BEGIN SOLUTION
    // Rows are 12 units apart, so even rows begin in bank 0 and odd rows in bank 16: four rows of each kind share banks.
    return row * A_UNITS + (unit ^ row / 2 % 4);
    // INSTEAD
    // |    // Your work: give the units of a row other places.
    // |    return row * A_UNITS + unit;
    // END SOLUTION
}

// Returns where a unit of B lies, in the same way.
__device__ int place_in_b(int row, int unit)
{
    // BEGIN SOLUTION
    // All rows begin in bank 0.
    return row * B_UNITS + (unit ^ row % 8);
    // INSTEAD
    // |    // Your work: do the same here.
    // |    return row * B_UNITS + unit;
    // END SOLUTION
}

// Loads four matrices of 8 x 8 halves. Lane l passes the address of row l % 8 of matrix l / 8.
__device__ void ldmatrix(unsigned (&to)[4], const uint4* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

__device__ void ldmatrix_trans(unsigned (&to)[4], const uint4* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// Adds the product of 16 x 16 halves and 16 x 8 halves to 16 x 8 sums.
__device__ void mma(float* sums, const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A block multiplies one pair. Each of its 16 warps computes 16 x 16 elements of the product.
__global__ void multiply_pair(float* products, const uint4* tiles)
{
    __shared__ uint4 a_tile[DIM * A_UNITS];
    __shared__ uint4 b_tile[DEPTH * B_UNITS];

    const uint4* a_input = tiles + blockIdx.x * (DIM * A_UNITS + DEPTH * B_UNITS);
    const uint4* b_input = a_input + DIM * A_UNITS;
    for (int i = threadIdx.x; i < DIM * A_UNITS; i += THREADS)
        a_tile[place_in_a(i / A_UNITS, i % A_UNITS)] = a_input[i];
    for (int i = threadIdx.x; i < DEPTH * B_UNITS; i += THREADS)
        b_tile[place_in_b(i / B_UNITS, i % B_UNITS)] = b_input[i];
    __syncthreads();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / 4 * 16, left = warp % 4 * 16;
    float sums[8] = {};
    for (int k = 0; k < DEPTH; k += 16) {
        unsigned a[4], b[4];
        ldmatrix(a, &a_tile[place_in_a(top + lane % 16, k / UNIT + lane / 16)]);
        ldmatrix_trans(b, &b_tile[place_in_b(k + lane % 16, left / UNIT + lane / 16)]);
        mma(sums, a, b[0], b[1]);
        mma(sums + 4, a, b[2], b[3]);
    }

    float* product = products + blockIdx.x * DIM * DIM;
    for (int i = 0; i < 4; ++i) {
        int row = top + lane / 4 + i % 2 * 8, column = left + lane % 4 * 2 + i / 2 * 8;
        *reinterpret_cast<float2*>(&product[row * DIM + column]) = make_float2(sums[2 * i], sums[2 * i + 1]);
    }
}

// A unit of `tiles` is 8 halves.
void multiply_tiles(float* products, const uint4* tiles, int pairs)
{
    multiply_pair<<<pairs, THREADS>>>(products, tiles);
}
