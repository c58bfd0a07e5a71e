// The model's own memory: half of the memory that kernels touch, to watch for races between blocks, and none for untouched allocations.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "model_results.hpp"

namespace {

constexpr long mebi = 1 << 20;
constexpr int COLUMNS = 32;

__global__ void add_one(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

/// Each block adds one to numbers far from those of the block before.
__global__ void touch_apart(int* data, long apart) { data[blockIdx.x * apart + threadIdx.x] += 1; }

/// Each warp writes a column.
__global__ void write_columns(int* data, int n) {
    data[(blockIdx.y * COLUMNS + threadIdx.x) * n + blockIdx.x * COLUMNS + threadIdx.y] = threadIdx.x;
}

/// The process's resident memory in bytes.
long bytes_here() {
    long all = 0, here = 0;
    std::ifstream("/proc/self/statm") >> all >> here;
    return here * sysconf(_SC_PAGESIZE);
}

/// The growth of the process's memory by `launch`.
template <class Launch> long growth_by(Launch launch) {
    const long before = bytes_here();
    launch();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_TRUE(model::take_hazards().empty());
    return bytes_here() - before;
}

class MemoryUse : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cudaMalloc(&data_, touched), cudaSuccess);
        // The kernels' own memory does not grow with the memory that they touch.
        int* little = nullptr;
        cudaMalloc(&little, COLUMNS * COLUMNS * sizeof(int));
        add_one<<<4, 256>>>(little);
        write_columns<<<1, dim3(COLUMNS, COLUMNS)>>>(little, COLUMNS);
        cudaDeviceSynchronize();
        cudaFree(little);
    }
    void TearDown() override { cudaFree(data_); }

    static constexpr long touched = 64 * mebi;
    /// An allowance for everything but the watch: each core has memory for the blocks that it runs.
    static inline const long little = std::max(2u, std::thread::hardware_concurrency()) * mebi / 2;
    int* data_ = nullptr;
};

TEST_F(MemoryUse, OfTheWatchIsHalfOfWhatIsTouched) {
    const long once = growth_by([&] { add_one<<<touched / 4 / 256, 256>>>(data_); });
    EXPECT_LE(once, touched / 2 + little);
    EXPECT_GE(once, touched / 4) << "otherwise nothing is measured here";
    EXPECT_LE(growth_by([&] { add_one<<<touched / 4 / 256, 256>>>(data_); }), little) << "later launches use the same";
}

TEST_F(MemoryUse, OfTheWatchIsHalfOfWhatIsTouchedByColumns) {
    constexpr int n = 4096;
    static_assert(long{n} * n * 4 == touched);
    EXPECT_LE(growth_by([&] { write_columns<<<dim3(n / COLUMNS, n / COLUMNS), dim3(COLUMNS, COLUMNS)>>>(data_, n); }),
              touched / 2 + little);
}

TEST_F(MemoryUse, GoesWithTheMemoryThatIsFreed) {
    const auto fill = [](long bytes) {
        int* data = nullptr;
        ASSERT_EQ(cudaMalloc(&data, bytes), cudaSuccess);
        add_one<<<bytes / 4 / 256, 256>>>(data);
        ASSERT_EQ(cudaFree(data), cudaSuccess);
    };
    fill(touched);
    EXPECT_LE(growth_by([&] {
                  for (int i = 0; i < 3; ++i) fill(touched);
              }),
              little);
}

TEST_F(MemoryUse, IsThatOfTheTouchedPartOfAnAllocation) {
    // The watch takes large pages, whole ones at both ends.
    constexpr long part = touched / 8, large_pages = 2 * 2 * mebi;
    EXPECT_LE(growth_by([&] { add_one<<<part / 4 / 256, 256>>>(data_); }), part / 2 + large_pages + little);
}

TEST_F(MemoryUse, OfALargeAllocationIsThatOfItsTouchedPart) {
    // Touched once in each chunk of the watch: only the first chunks have large pages.
    constexpr long large = 10240 * mebi, apart = 4 * mebi, most = 1024 * mebi;
    int* data = nullptr;
    if (cudaMalloc(&data, large) != cudaSuccess) GTEST_SKIP() << "this machine has no room for 10 GiB";
    EXPECT_LE(growth_by([&] {
                  for (long at = 0; at < large; at += apart) cudaMemset(reinterpret_cast<char*>(data) + at, 1, 256 * sizeof(int));
                  touch_apart<<<large / apart, 256>>>(data, apart / 4);
              }),
              most);
    unsigned char untouched = 0, touched = 0;
    cudaMemcpy(&untouched, reinterpret_cast<char*>(data) + large - 1, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy(&touched, reinterpret_cast<char*>(data) + large - apart, 1, cudaMemcpyDeviceToHost);
    EXPECT_EQ(untouched, 0xCD);
    EXPECT_EQ(touched, 2);
    cudaFree(data);
}

TEST_F(MemoryUse, OfTheWatchIsPartOfWhatProgramsAreOffered) {
    std::size_t free = 0, total = 0, less = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    EXPECT_LE(total + total / 2, static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
    int* data = nullptr;
    ASSERT_EQ(cudaMalloc(&data, touched), cudaSuccess);
    ASSERT_EQ(cudaMemGetInfo(&less, &total), cudaSuccess);
    EXPECT_EQ(free - less, static_cast<std::size_t>(touched));
    cudaFree(data);
}

}  // namespace
