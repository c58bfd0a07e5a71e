// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A warp loads with ldmatrix what its lanes have stored, without a barrier between. The output is right.

#include <cstdio>
#include <cuda_runtime.h>

// [ldmatrix_without_barrier]
__global__ void ldmatrix_without_barrier(uint4* output, const uint4* input)
{
    // 16 rows of 32 bytes: each lane stores half a row, and points at another half.
    __shared__ uint4 tile[16][2];
    tile[threadIdx.x / 2][threadIdx.x % 2] = input[threadIdx.x];

    const uint4* row = &tile[threadIdx.x % 16][threadIdx.x / 16];
    uint4 part;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(part.x), "=r"(part.y), "=r"(part.z), "=r"(part.w)
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
        : "memory");
    output[threadIdx.x] = part;
}
// [/ldmatrix_without_barrier]

int main()
{
    unsigned *input, *output;
    cudaMallocManaged(&input, 128 * sizeof(unsigned));
    cudaMallocManaged(&output, 128 * sizeof(unsigned));
    for (int i = 0; i < 128; ++i) input[i] = 100 + i;
    ldmatrix_without_barrier<<<1, 32>>>(reinterpret_cast<uint4*>(output), reinterpret_cast<uint4*>(input));
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i)
            wrong += output[lane * 4 + i] != input[(lane / 4 + i % 2 * 8) * 8 + lane % 4 + i / 2 * 4];
    std::printf("%d pairs of halves are wrong\n", wrong);
    return wrong != 0;
}
