// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The instructions for tiles that this chapter uses: copies that run on while the threads compute,
// barriers that count bytes, and products of tiles.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

__device__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// [cp_async]
// Copies 16 bytes to shared memory while the thread goes on; zeros in their place if `inside` is false.
__device__ void copy_16_bytes(void* to, const void* from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
        "r"(inside ? 16 : 0)
        : "memory");
}

// The copies since the last call are a group. A thread has groups in flight, and waits for the oldest.
__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int LEFT_IN_FLIGHT>
__device__ void wait_for_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT_IN_FLIGHT) : "memory");
}
// [/cp_async]

// [mma]
// Four matrices of 8 x 8: the chapter on fragments has this and the transposed one.
__device__ void ldmatrix(unsigned (&to)[4], const bf16* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(shared_address(row))  // by rows
        : "memory");
}

__device__ void ldmatrix_trans(unsigned (&to)[4], const bf16* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(shared_address(row))  // by columns
        : "memory");
}

// Adds the product of 16 x 16 and 16 x 8 elements to 16 x 8 sums.
__device__ void mma(float* sums, const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// [/mma]

// [barrier]
// A barrier in shared memory completes a phase when all its arrivals and all its bytes have come.
// Phases have parity 0, 1, 0, 1 and so on.
using Barrier = unsigned long long;

__device__ void make_barrier(Barrier& barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals)
        : "memory");
}

// Lets the copy engine see the barriers that were made.
__device__ void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ void arrive(Barrier& barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

__device__ void arrive_and_expect(Barrier& barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
        : "memory");
}

__device__ void wait(Barrier& barrier, int parity)
{
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(shared_address(&barrier)),
        "r"(parity)
        : "memory");
}
// [/barrier]

// [tma]
// Asks the copy engine for the box at column x of row y. Its bytes arrive at the barrier.
__device__ void copy_box(bf16* to, const CUtensorMap& from, int x, int y, Barrier& barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared_address(to)),
        "l"(&from), "r"(x), "r"(y), "r"(shared_address(&barrier))
        : "memory");
}
// [/tma]
