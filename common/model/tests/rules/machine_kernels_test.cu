// Whole kernels on the machines: published figures, and the effects that only older machines have.

#include <algorithm>
#include <string>

#include "surface/support.hpp"

namespace {

constexpr int TILE = 32, ROWS = 8;

// Blocks are numbered row by row; which tile a block takes is told by `diagonal`.
__global__ void transpose(float* output, const float* input, int n, bool diagonal) {
    __shared__ float tile[TILE][TILE + 1];
    int tile_y = diagonal ? blockIdx.x : blockIdx.y;
    int tile_x = diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = input[(tile_y * TILE + threadIdx.y + j) * n + tile_x * TILE + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS)
        output[(tile_x * TILE + threadIdx.y + j) * n + tile_y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}

// The sum of a block by a strided index: no divergence, but bank conflicts.
__global__ void reduce_strided(int* sums, const int* input) {
    __shared__ int partial[256];
    unsigned tid = threadIdx.x;
    partial[tid] = input[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * tid;
        if (index < blockDim.x) partial[index] += partial[index + s];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = partial[0];
}

/// Copies 16 bytes a lane past the L1, four lanes from each row of `pitch` bytes, side by side into shared memory.
__global__ void copy_rows(int* out, const int* in, int pitch) {
    __shared__ alignas(128) int tile[128];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));
    const char* from = reinterpret_cast<const char*>(in) + threadIdx.x / 4 * pitch + threadIdx.x % 4 * 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(to), "l"(from) : "memory");
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x];
}

class OnMachine : public ::testing::Test {
protected:
    ~OnMachine() override { model::set_machine("sm_90"); }

    simt::LaunchCounts transpose_on(const std::string& machine, bool diagonal) {
        model::set_machine(machine);
        constexpr int n = 2048;
        std::vector<float> values(n * n);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
        Device<float> input(values), output(values.size());
        const auto counts =
            counts_of([&] { transpose<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(output.data, input.data, n, diagonal); });
        EXPECT_EQ(output.host()[5 * n + 7], values[7 * n + 5]);
        return counts;
    }
};

TEST_F(OnMachine, TransposeInCartesianOrderCampsOnPartitionsOfGt200) {
    const simt::PartitionCounts counts = transpose_on("gt200", false).partitions.value();
    EXPECT_EQ(counts.concurrent_blocks, 30 * 3);
    EXPECT_EQ(counts.load.mean(), 8);
    EXPECT_LE(counts.store.mean(), 2);
}

TEST_F(OnMachine, TransposeInDiagonalOrderUsesAllPartitionsOfGt200) {
    const simt::PartitionCounts counts = transpose_on("gt200", true).partitions.value();
    EXPECT_GE(counts.load.mean(), 7.5);
    EXPECT_GE(counts.store.mean(), 7.5);
}

TEST_F(OnMachine, PartitionsAreReportedWhereTheyAreWatched) {
    const simt::PartitionCounts counts = transpose_on("g80", false).partitions.value();
    EXPECT_EQ(counts.partitions, 6);
    EXPECT_EQ(counts.concurrent_blocks, 16 * 3);
    EXPECT_EQ(counts.store.steps.size(), 6u);
    EXPECT_FALSE(transpose_on("sm_90", false).partitions);
}

// The published figure: 4,587,520 store conflicts for 2^25 integers in blocks of 256, which an H200's counter of store
// wavefronts confirms.
TEST_F(OnMachine, StridedReductionHasThePublishedConflicts) {
    constexpr unsigned count = 1u << 25, block = 256, blocks = count / block;
    int *input, *sums;
    ASSERT_EQ(cudaMallocManaged(&input, count * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&sums, blocks * sizeof(int)), cudaSuccess);
    std::fill_n(input, count, 1);
    const auto counts = counts_of([&] { reduce_strided<<<blocks, block>>>(sums, input); });
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(std::count(sums, sums + blocks, static_cast<int>(block)), blocks);
    EXPECT_EQ(counts.shared_store.conflicts(), 4'587'520u);
    EXPECT_EQ(counts.shared_store.wavefronts, 7'208'960u);
    cudaFree(input);
    cudaFree(sums);
}

// CUTLASS's products copy such rows, and an H100 takes fewer wavefronts for some of them, in each launch of a kernel others.
TEST_F(OnMachine, ACopyWhoseLanesConflictIsMarked) {
    Device<int> in(std::vector<int>(1024, 1)), out(32);
    const auto side_by_side = counts_of([&] { copy_rows<<<1, 32>>>(out.data, in.data, 64); });
    EXPECT_EQ(side_by_side.async_copy_shared.conflicts(), 0u);
    EXPECT_TRUE(side_by_side.exact && side_by_side.fused.empty());

    const auto apart = counts_of([&] { copy_rows<<<1, 32>>>(out.data, in.data, 512); });
    EXPECT_GT(apart.async_copy_shared.conflicts(), 0u);
    ASSERT_EQ(apart.fused.size(), 1u);
    EXPECT_FALSE(apart.exact);
    EXPECT_EQ(apart.fused.front().why, "lanes of the copy conflict: a GPU moves their data in an order that is not known");
}

}  // namespace
