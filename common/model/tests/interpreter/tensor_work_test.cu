// The multiplications of tensor cores that each product counts for, in units of one of 16-bit elements.

#include <gtest/gtest.h>

#include "model_results.hpp"

namespace {

/// A kernel that multiplies once, with whatever its registers hold.
#define KERNEL(name, text)                                                                                                       \
    __global__ void name() {                                                                                                     \
        __shared__ __align__(1024) uint4 tiles[1024];                                                                            \
        for (int i = threadIdx.x; i < 1024; i += blockDim.x) tiles[i] = uint4{};                                                 \
        __syncthreads();                                                                                                         \
        const unsigned long long start = __cvta_generic_to_shared(tiles) >> 4 | 8ull << 16 | 16ull << 32;                        \
        asm volatile("{.reg .b32 d<128>, a<8>, b<8>, kept; .reg .f64 x<4>; mov.b32 kept, 0x44444444;\n" text " }" ::"l"(start)); \
    }

#define D4 "{d0, d1, d2, d3}"
#define D8 "{d0, d1, d2, d3, d4, d5, d6, d7}"
#define T10(t) "d" t "0, d" t "1, d" t "2, d" t "3, d" t "4, d" t "5, d" t "6, d" t "7, d" t "8, d" t "9, "
#define D128                                                                                               \
    "{" T10("") T10("1") T10("2") T10("3") T10("4") T10("5") T10("6") T10("7") T10("8") T10("9") T10("10") \
        T10("11") "d120, d121, d122, d123, d124, d125, d126, d127}"
#define A4 "{a0, a1, a2, a3}"
#define B4 "{b0, b1, b2, b3}"

KERNEL(bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", " A4 ", {b0, b1}, " D4 ";")
KERNEL(tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", " A4 ", {b0, b1}, " D4 ";")
KERNEL(s8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " D4 ", " A4 ", {b0, b1}, " D4 ";")
KERNEL(b1, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {d0, d1}, {a0}, {b0}, {d0, d1};")
KERNEL(f64, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {x0, x1}, {x2}, {x3}, {x0, x1};")
KERNEL(quads, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 " D8 ", {a0, a1}, {b0, b1}, " D8 ";")
KERNEL(sparse, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 " D4 ", " A4 ", " B4 ", " D4 ", kept, 0x0;")
KERNEL(skipped, ".reg .pred never; setp.ne.b32 never, 0, 0;\n@never mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", " A4
                ", {b0, b1}, " D4 ";")
KERNEL(wmma, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " D8
             ", {a0, a1, a2, a3, a4, a5, a6, a7}, {b0, b1, b2, b3, b4, b5, b6, b7}, " D8 ";")
KERNEL(group, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 " D128 ", %0, %0, 0, 1, 1, 0, 0;")
KERNEL(sparse_group, "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " D4 ", %0, %0, kept, 0, 0, 1, 1, 0, 0;")

TEST(TensorWork, IsWhatEachProductMultiplies) {
    struct Case {
        const char* name;
        void (*kernel)();
        unsigned threads;
        std::uint64_t multiplications;
    };
    for (const Case& each :
         {Case{"bf16", bf16, 32, 16 * 8 * 16}, Case{"tf32", tf32, 32, 16 * 8 * 8 * 2}, Case{"s8", s8, 32, 16 * 8 * 32 / 2},
          Case{"b1", b1, 32, 8 * 8 * 128 / 16}, Case{"f64", f64, 32, 8 * 8 * 4 * 16}, Case{"quads", quads, 32, 4 * 8 * 8 * 4},
          Case{"sparse", sparse, 32, 16 * 8 * 32 / 2}, Case{"skipped", skipped, 32, 0}, Case{"wmma", wmma, 32, 16 * 16 * 16},
          Case{"four warps", bf16, 128, 4 * 16 * 8 * 16}, Case{"group", group, 128, 64 * 256 * 16},
          Case{"sparse group", sparse_group, 128, 64 * 8 * 32 / 2}}) {
        model::take_launches();
        each.kernel<<<2, each.threads>>>();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << each.name;
        const auto launches = model::take_launches();
        ASSERT_EQ(launches.size(), 1u) << each.name;
        EXPECT_EQ(launches[0].work.sum.tensor_multiplications, 2 * each.multiplications) << each.name;
        EXPECT_EQ(launches[0].work.most.tensor_multiplications, each.multiplications) << each.name;
    }
}

}  // namespace
