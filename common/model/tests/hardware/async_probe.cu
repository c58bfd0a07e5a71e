// The cost of asynchronous copies on a GPU. Each kernel is one case, does nothing else, runs in one block, and is launched once: profile it
// with ncu, and compare the counters with the model's counts of the same kernel. Kernels async_… are one warp with one cp.async; bulk_… and
// tensor_… are one thread with one copy; `nothing`, `barrier_alone` and `group_alone` are the parts that the others share. The copies to
// global memory read shared memory that was never written: the model reports it, as it should.
//
// Counters: smsp__inst_executed.sum, smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum,
// l1tex__data_pipe_lsu_wavefronts_mem_shared.sum, l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}.sum,
// lts__t_{requests,sectors}_srcunit_tex_op_{read,write,red}.sum, l1tex__m_xbar2l1tex_read_sectors.sum, and all that
// `ncu --query-metrics` names with ldgsts, tma or bulk.

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int SHARED = 16384;

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

struct Case {
    const char* name;
    void (*kernel)(const char* from, char* to);
};
std::vector<Case> cases;

/// Names a kernel that is a case.
#define CASE(NAME)                                       \
    extern "C" __global__ void NAME(const char*, char*); \
    const bool has_##NAME = (cases.push_back({#NAME, NAME}), true);

CASE(nothing)
extern "C" __global__ void nothing(const char*, char*) {}

// One cp.async of BYTES bytes by each lane, of which FROM_BYTES are read, from byte FROM of global memory to byte TO of shared memory.
#define ASYNC_CASE(NAME, CACHE, BYTES, FROM, TO, FROM_BYTES)                                                                        \
    CASE(NAME)                                                                                                                      \
    extern "C" __global__ void NAME(const char* from, char*) {                                                                      \
        __shared__ alignas(1024) char tile[SHARED];                                                                                 \
        const int lane = threadIdx.x;                                                                                               \
        asm volatile("cp.async." CACHE ".shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(tile + (TO))), "l"(from + (FROM)), \
                     "n"(BYTES), "r"(FROM_BYTES)                                                                                    \
                     : "memory");                                                                                                   \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                                            \
    }

ASYNC_CASE(async_4_contiguous, "ca", 4, 4 * lane, 4 * lane, 4)
ASYNC_CASE(async_4_stride_2_global, "ca", 4, 8 * lane, 4 * lane, 4)
ASYNC_CASE(async_4_stride_32_global, "ca", 4, 128 * lane, 4 * lane, 4)
ASYNC_CASE(async_4_same_global, "ca", 4, 0, 4 * lane, 4)
ASYNC_CASE(async_4_offset_global, "ca", 4, 4 * lane + 4, 4 * lane, 4)
ASYNC_CASE(async_4_stride_2_shared, "ca", 4, 4 * lane, 8 * lane, 4)
ASYNC_CASE(async_4_stride_32_shared, "ca", 4, 4 * lane, 128 * lane, 4)
ASYNC_CASE(async_4_stride_33_shared, "ca", 4, 4 * lane, 132 * lane, 4)
ASYNC_CASE(async_4_reversed_shared, "ca", 4, 4 * lane, 4 * (31 - lane), 4)
ASYNC_CASE(async_4_zeros, "ca", 4, 4 * lane, 4 * lane, 0)
ASYNC_CASE(async_4_zeros_in_half, "ca", 4, 4 * lane, 4 * lane, lane < 16 ? 4 : 0)
ASYNC_CASE(async_8_contiguous, "ca", 8, 8 * lane, 8 * lane, 8)
ASYNC_CASE(async_8_stride_2_global, "ca", 8, 16 * lane, 8 * lane, 8)
ASYNC_CASE(async_8_stride_2_shared, "ca", 8, 8 * lane, 16 * lane, 8)
ASYNC_CASE(async_8_stride_16_shared, "ca", 8, 8 * lane, 128 * lane, 8)
ASYNC_CASE(async_8_zeros_in_half, "ca", 8, 8 * lane, 8 * lane, lane < 16 ? 8 : 0)
ASYNC_CASE(async_16_contiguous, "cg", 16, 16 * lane, 16 * lane, 16)
ASYNC_CASE(async_16_contiguous_in_l1, "ca", 16, 16 * lane, 16 * lane, 16)
ASYNC_CASE(async_16_stride_2_global, "cg", 16, 32 * lane, 16 * lane, 16)
ASYNC_CASE(async_16_same_global, "cg", 16, 0, 16 * lane, 16)
ASYNC_CASE(async_16_offset_global, "cg", 16, 16 * lane + 16, 16 * lane, 16)
ASYNC_CASE(async_16_rows_of_4_global, "cg", 16, lane / 4 * 512 + lane % 4 * 16, 16 * lane, 16)
ASYNC_CASE(async_16_stride_2_shared, "cg", 16, 16 * lane, 32 * lane, 16)
ASYNC_CASE(async_16_stride_8_shared, "cg", 16, 16 * lane, 128 * lane, 16)
ASYNC_CASE(async_16_stride_9_shared, "cg", 16, 16 * lane, 144 * lane, 16)
ASYNC_CASE(async_16_swizzled_shared, "cg", 16, lane / 4 * 512 + lane % 4 * 16, lane / 4 * 128 + (lane % 4 ^ lane / 4) * 16, 16)
ASYNC_CASE(async_16_zeros, "cg", 16, 16 * lane, 16 * lane, 0)
ASYNC_CASE(async_16_zeros_in_half, "cg", 16, 16 * lane, 16 * lane, lane < 16 ? 16 : 0)
ASYNC_CASE(async_16_half_of_each, "cg", 16, 16 * lane, 16 * lane, 8)

CASE(async_4_of_8_lanes)
extern "C" __global__ void async_4_of_8_lanes(const char* from, char*) {
    __shared__ alignas(16) char tile[128];
    if (threadIdx.x < 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(tile + 4 * threadIdx.x)), "l"(from + 4 * threadIdx.x)
                     : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ void start(std::uint64_t& full, unsigned bytes) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
}

__device__ void wait(std::uint64_t& full) {
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
}

__device__ void wait_for_group() {
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

CASE(barrier_alone)
extern "C" __global__ void barrier_alone(const char*, char*) {
    __shared__ std::uint64_t full;
    if (threadIdx.x != 0) return;
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full);
    wait(full);
}

CASE(group_alone)
extern "C" __global__ void group_alone(const char*, char*) {
    if (threadIdx.x == 0) wait_for_group();
}

#define BULK_LOAD_CASE(NAME, BYTES, FROM)                                                             \
    CASE(NAME)                                                                                        \
    extern "C" __global__ void NAME(const char* from, char*) {                                        \
        __shared__ alignas(1024) char tile[SHARED];                                                   \
        __shared__ std::uint64_t full;                                                                \
        if (threadIdx.x != 0) return;                                                                 \
        start(full, BYTES);                                                                           \
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from + (FROM), BYTES, &full); \
        wait(full);                                                                                   \
    }

#define BULK_STORE_CASE(NAME, BYTES, TO)                                                  \
    CASE(NAME)                                                                            \
    extern "C" __global__ void NAME(const char*, char* to) {                              \
        __shared__ alignas(1024) char tile[SHARED];                                       \
        if (threadIdx.x != 0) return;                                                     \
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + (TO), tile, BYTES); \
        wait_for_group();                                                                 \
    }

BULK_LOAD_CASE(bulk_load_16, 16, 0)
BULK_LOAD_CASE(bulk_load_128, 128, 0)
BULK_LOAD_CASE(bulk_load_128_offset_16, 128, 16)
BULK_LOAD_CASE(bulk_load_2048, 2048, 0)
BULK_LOAD_CASE(bulk_load_2048_offset_16, 2048, 16)
BULK_LOAD_CASE(bulk_load_16384, 16384, 0)
BULK_STORE_CASE(bulk_store_16, 16, 0)
BULK_STORE_CASE(bulk_store_128, 128, 0)
BULK_STORE_CASE(bulk_store_2048, 2048, 0)
BULK_STORE_CASE(bulk_store_2048_offset_16, 2048, 16)

CASE(bulk_add_2048)
extern "C" __global__ void bulk_add_2048(const char*, char* to) {
    __shared__ alignas(1024) int tile[512];
    if (threadIdx.x != 0) return;
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reinterpret_cast<int*>(to), tile, 2048);
    wait_for_group();
}

CASE(bulk_within_block_2048)
extern "C" __global__ void bulk_within_block_2048(const char*, char*) {
    __shared__ alignas(1024) char tile[4096];
    __shared__ std::uint64_t full;
    if (threadIdx.x != 0) return;
    start(full, 2048);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, tile, tile + 2048, 2048, &full);
    wait(full);
}

// Boxes of a matrix of 256 x 256 floats.
#define TENSOR_CASE(NAME, INNER, ROWS, X, Y)                                                         \
    extern "C" __global__ void tensor_load_##NAME(const __grid_constant__ CUtensorMap map) {         \
        __shared__ alignas(1024) float tile[INNER * ROWS];                                           \
        __shared__ std::uint64_t full;                                                               \
        if (threadIdx.x != 0) return;                                                                \
        start(full, sizeof tile);                                                                    \
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, {X, Y}, &full); \
        wait(full);                                                                                  \
    }                                                                                                \
    extern "C" __global__ void tensor_store_##NAME(const __grid_constant__ CUtensorMap map) {        \
        __shared__ alignas(1024) float tile[INNER * ROWS];                                           \
        if (threadIdx.x != 0) return;                                                                \
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, {X, Y}, tile);         \
        wait_for_group();                                                                            \
    }

// Name, floats of a row of the box, rows, the place of the box; and the swizzle.
#define ALL_TENSOR_CASES(CASE)                 \
    CASE(unswizzled_32x32, 32, 32, 0, 0, NONE) \
    CASE(swizzle_32, 8, 32, 0, 0, 32B)         \
    CASE(swizzle_64, 16, 32, 0, 0, 64B)        \
    CASE(swizzle_128, 32, 32, 0, 0, 128B)      \
    CASE(unswizzled_8x32, 8, 32, 0, 0, NONE)   \
    CASE(unswizzled_16x32, 16, 32, 0, 0, NONE) \
    CASE(unswizzled_4x64, 4, 64, 0, 0, NONE)   \
    CASE(unswizzled_64x32, 64, 32, 0, 0, NONE) \
    CASE(unswizzled_256x8, 256, 8, 0, 0, NONE) \
    CASE(four_floats_off, 32, 32, 4, 0, NONE)  \
    CASE(half_outside, 32, 32, 240, 0, NONE)   \
    CASE(all_outside, 32, 32, 512, 0, NONE)    \
    CASE(swizzle_128_half_outside, 32, 32, 240, 240, 128B)

#define DEFINE(NAME, INNER, ROWS, X, Y, SWIZZLE) TENSOR_CASE(NAME, INNER, ROWS, X, Y)
ALL_TENSOR_CASES(DEFINE)

int failures = 0;

void check(const char* name) {
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
        std::printf("%s: %s\n", name, cudaGetErrorString(error));
        ++failures;
    }
}

CUtensorMap describe(void* matrix, unsigned inner, unsigned rows, CUtensorMapSwizzle swizzle) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    const cuuint64_t extent[] = {256, 256}, row_bytes[] = {1024};
    const cuuint32_t box[] = {inner, rows}, every[] = {1, 1};
    CUtensorMap map{};
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, extent, row_bytes, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) ++failures;
    return map;
}

int main() {
    constexpr std::size_t bytes = 256 * 256 * 4;
    char *from, *to;
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    cudaMemset(from, 1, bytes);
    cudaMemset(to, 0, bytes);
    for (const auto& [name, kernel] : cases) {
        kernel<<<1, 32>>>(from, to);
        check(name);
    }
#define LAUNCH(NAME, INNER, ROWS, X, Y, SWIZZLE)                                                 \
    tensor_load_##NAME<<<1, 32>>>(describe(from, INNER, ROWS, CU_TENSOR_MAP_SWIZZLE_##SWIZZLE)); \
    check("tensor_load_" #NAME);                                                                 \
    tensor_store_##NAME<<<1, 32>>>(describe(to, INNER, ROWS, CU_TENSOR_MAP_SWIZZLE_##SWIZZLE));  \
    check("tensor_store_" #NAME);
    ALL_TENSOR_CASES(LAUNCH)
    return failures != 0;
}
