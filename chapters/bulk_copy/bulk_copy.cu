// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What remains for the threads when an engine moves the tiles?
//
// From compute capability 9.0 on, one thread asks for a tile, and the tensor copy engine brings it:
// there are no loads, no addresses, and no guards at the edges. It can swizzle as it copies, by one
// of three patterns. The patterns are fixed, so the threads have to fit them.

#include <cuda.h>

#include <cuda/barrier>
#include <utility>

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// A barrier in shared memory has no constructor that runs: init() does its work.
#pragma nv_diag_suppress static_var_with_dynamic_init

// [constants]
constexpr int TILE_DIM = 64;
constexpr int THREADS = 256;

// A unit is what one access of 16 bytes moves. Eight of them fill the banks.
constexpr int UNIT_FLOATS = 4;
constexpr int UNITS = TILE_DIM / UNIT_FLOATS;
constexpr int UNITS_IN_BANKS = 8;

// The engine's patterns begin anew at multiples of this.
constexpr int ENGINE_ALIGNMENT = 1024;
// [/constants]

// [unit_of]
// A unit of a tile in shared memory. The engine moves boxes of 64 rows, each of BOX_UNITS units,
// and lays one box behind the other. With a pattern, it exchanges the units of each stretch of
// SWIZZLE_UNITS by XOR with the number of the 128 bytes that they lie in.
template <int BOX_UNITS, int SWIZZLE_UNITS>
__device__ float4& unit_of(float4* tile, int row, int unit)
{
    float4* box = tile + unit / BOX_UNITS * (TILE_DIM * BOX_UNITS);
    int place = row * BOX_UNITS + unit % BOX_UNITS;
    return box[place ^ (place / UNITS_IN_BANKS) % SWIZZLE_UNITS];
}
// [/unit_of]

// [column_of]
__device__ float element(const float4& unit, int i)
{
    return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w;
}

// Column i of a block of 4 x 4, whose rows lie in registers. Once the loop
// over i is unrolled this moves nothing: it says which register is which.
__device__ float4 column_of(const float4* rows, int i)
{
    return make_float4(element(rows[0], i), element(rows[1], i), element(rows[2], i), element(rows[3], i));
}
// [/column_of]

// [transpose_tile]
namespace engine = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <int BOX_UNITS, int SWIZZLE_UNITS, bool DIAGONAL>
__device__ void transpose_tile(const CUtensorMap& output, const CUtensorMap& input)
{
    constexpr int BOX_FLOATS = BOX_UNITS * UNIT_FLOATS, BOX = TILE_DIM * BOX_UNITS;
    __shared__ alignas(ENGINE_ALIGNMENT) float4 from[TILE_DIM * UNITS];
    __shared__ alignas(ENGINE_ALIGNMENT) float4 to[TILE_DIM * UNITS];
    __shared__ Barrier loaded;

    int x = blockIdx.y * TILE_DIM, y = blockIdx.x * TILE_DIM;
    if (threadIdx.x == 0) {
        init(&loaded, THREADS);
        engine::fence_proxy_async_shared_cta();
    }
    __syncthreads();

    // One thread asks for the tile, and all threads wait until its bytes are there.
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        for (int i = 0; i < UNITS / BOX_UNITS; ++i)
            engine::cp_async_bulk_tensor_2d_global_to_shared(
                &from[i * BOX], &input, x + i * BOX_FLOATS, y, loaded);
        token = cuda::device::barrier_arrive_tx(loaded, 1, sizeof from);
    } else {
        token = loaded.arrive();
    }
    loaded.wait(std::move(token));

    // Each thread turns a block of 4 x 4. Eight neighboring lanes take eight
    // blocks that lie side by side, or on a diagonal.
    int lane = threadIdx.x % 8, row = threadIdx.x / 8 % 8, quarter = threadIdx.x / 64;
    int across = lane + quarter % 2 * 8;
    int down = (DIAGONAL ? row ^ lane : row) + quarter / 2 * 8;

    float4 rows[UNIT_FLOATS];
    for (int i = 0; i < UNIT_FLOATS; ++i)
        rows[i] = unit_of<BOX_UNITS, SWIZZLE_UNITS>(from, UNIT_FLOATS * down + i, across);
    for (int i = 0; i < UNIT_FLOATS; ++i)
        unit_of<BOX_UNITS, SWIZZLE_UNITS>(to, UNIT_FLOATS * across + i, down) = column_of(rows, i);

    // The fence lets the engine see what the threads wrote. Then one thread asks it to store.
    engine::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < UNITS / BOX_UNITS; ++i)
            engine::cp_async_bulk_tensor_2d_shared_to_global(&output, y + i * BOX_FLOATS, x, &to[i * BOX]);
        engine::cp_async_bulk_commit_group();
        engine::cp_async_bulk_wait_group_read<0>();
    }
}
// [/transpose_tile]

// [transpose_bulk]
__global__ void __launch_bounds__(THREADS)
    transpose_bulk(const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<8, 8, true>(output, input);
}
// [/transpose_bulk]

// [transpose_bulk_swizzle_64]
__global__ void __launch_bounds__(THREADS) transpose_bulk_swizzle_64(
    const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<4, 4, true>(output, input);
}
// [/transpose_bulk_swizzle_64]

// [transpose_bulk_swizzle_32]
__global__ void __launch_bounds__(THREADS) transpose_bulk_swizzle_32(
    const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<2, 2, true>(output, input);
}
// [/transpose_bulk_swizzle_32]

// [transpose_bulk_unswizzled]
__global__ void __launch_bounds__(THREADS) transpose_bulk_unswizzled(
    const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<8, 1, true>(output, input);
}
// [/transpose_bulk_unswizzled]

// [transpose_bulk_side_by_side]
__global__ void __launch_bounds__(THREADS) transpose_bulk_side_by_side(
    const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<8, 8, false>(output, input);
}
// [/transpose_bulk_side_by_side]

// [transpose_bulk_side_by_side_unswizzled]
__global__ void __launch_bounds__(THREADS) transpose_bulk_side_by_side_unswizzled(
    const __grid_constant__ CUtensorMap output, const __grid_constant__ CUtensorMap input)
{
    transpose_tile<8, 1, false>(output, input);
}
// [/transpose_bulk_side_by_side_unswizzled]

// [launch]
// Blocks numbered down the columns of tiles.
dim3 grid_down(int width, int height)
{
    return dim3((height + TILE_DIM - 1) / TILE_DIM, (width + TILE_DIM - 1) / TILE_DIM);
}

// Describes a matrix to the engine: where its rows lie, how large a box is, and how to swizzle it.
CUtensorMap describe(const float* matrix, int width, int height, int box_units, CUtensorMapSwizzle swizzle)
{
    // A function of the driver: asked for by name, so that no program needs to be linked with it.
    static auto encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        CUDA_CHECK(cudaGetDriverEntryPointByVersion(
            "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
    }();
    const cuuint64_t extent[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(height)};
    const cuuint64_t row_bytes[] = {extent[0] * sizeof(float)};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(box_units * UNIT_FLOATS), TILE_DIM}, every[] = {1, 1};
    CUtensorMap map;
    const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(matrix),
        extent, row_bytes, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw std::runtime_error("cuTensorMapEncodeTiled failed: " + std::to_string(result));
    return map;
}
// [/launch]

// [entry]
using namespace conflict_free;

using Transpose = void (*)(CUtensorMap, CUtensorMap);

MatrixChapter<float>::Kernel by_engine(
    std::string name, Transpose kernel, int box_units, CUtensorMapSwizzle swizzle)
{
    const auto launch = [=](const Matrices<float>& m) {
        const CUtensorMap output = describe(m.output, m.height, m.width, box_units, swizzle);
        const CUtensorMap input = describe(m.input, m.width, m.height, box_units, swizzle);
        kernel<<<grid_down(m.width, m.height), THREADS>>>(output, input);
    };
    return {.name = std::move(name),
        .launch = launch,
        .expected = transposed<float>,
        .sizes = multiples_of(UNIT_FLOATS) && widths_up_to(65535 * TILE_DIM)};
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter(
        "bulk_copy", "What is left for a thread to do when an engine moves the tiles?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {36, 28}, {4, 8}, {4, 4}});
    chapter.gpu_sizes({{16384, 16384}, {8192, 8192}});
    chapter.traffic_sizes({{16384, 16384}});
    chapter.least_compute_capability(9, 0, "the tensor copy engine came with it");

    chapter.add(by_engine("transpose_bulk", transpose_bulk, 8, CU_TENSOR_MAP_SWIZZLE_128B));
    chapter.add(
        by_engine("transpose_bulk_swizzle_64", transpose_bulk_swizzle_64, 4, CU_TENSOR_MAP_SWIZZLE_64B));
    chapter.add(
        by_engine("transpose_bulk_swizzle_32", transpose_bulk_swizzle_32, 2, CU_TENSOR_MAP_SWIZZLE_32B));
    chapter.add(
        by_engine("transpose_bulk_unswizzled", transpose_bulk_unswizzled, 8, CU_TENSOR_MAP_SWIZZLE_NONE));
    chapter.add(by_engine(
        "transpose_bulk_side_by_side", transpose_bulk_side_by_side, 8, CU_TENSOR_MAP_SWIZZLE_128B));
    chapter.add(by_engine("transpose_bulk_side_by_side_unswizzled", transpose_bulk_side_by_side_unswizzled,
        8, CU_TENSOR_MAP_SWIZZLE_NONE));

    return chapter.run(argc, argv);
}
// [/entry]
