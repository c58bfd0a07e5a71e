// Programs that repeat a launch, which is counted once. Launches whose effect is known are not executed, and the results equal those of a
// program that executes everything.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

constexpr int count = 1 << 18, width = 256;

__global__ void copy(int* to, const int* from) { to[blockIdx.x * width + threadIdx.x] = from[blockIdx.x * width + threadIdx.x]; }
__global__ void add(int* data, int what) { data[blockIdx.x * width + threadIdx.x] += what; }
/// Returns the value itself if it is small, after much more time than a digest of all memory takes.
__device__ int after_long(int value) {
    for (int i = 0; i < 100; ++i) value ^= value >> 20;
    return value;
}
__global__ void copy_slowly(int* to, const int* from) {
    to[blockIdx.x * width + threadIdx.x] = after_long(from[blockIdx.x * width + threadIdx.x]);
}
__global__ void add_slowly(int* data, int what) {
    data[blockIdx.x * width + threadIdx.x] = after_long(data[blockIdx.x * width + threadIdx.x]) + what;
}
__global__ void add_atomically(int* data) { atomicAdd(&data[threadIdx.x], 1); }
__global__ void put_clock(long long* to) { to[threadIdx.x] = clock64() + 1; }

class RepeatedLaunches : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cudaMalloc(&from, count * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&to, count * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemset(from, 0, count * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemset(to, 0, count * sizeof(int)), cudaSuccess);
    }
    void TearDown() override {
        cudaFree(from);
        cudaFree(to);
    }
    int last(const int* data) {
        int value = -1;
        EXPECT_EQ(cudaMemcpy(&value, data + count - 1, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
        return value;
    }
    template <class Launch> double seconds(int times, Launch launch) {
        const std::clock_t begin = std::clock();
        for (int i = 0; i < times; ++i) launch();
        return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }

    int *from = nullptr, *to = nullptr;
};

TEST_F(RepeatedLaunches, takeNoTimeIfTheyChangeNothing) {
    const auto launch = [&] { copy<<<count / width, width>>>(to, from); };
    launch();
    const double of_ten = seconds(10, launch), of_thousand = seconds(1000, launch);
    EXPECT_LT(of_thousand, 20 * of_ten + 0.5);
    add<<<count / width, width>>>(from, 7);
    launch();
    EXPECT_EQ(last(to), 7);
}

TEST_F(RepeatedLaunches, takeNoTimeIfTheyLeadInACircle) {
    const auto launches = [&] {
        copy_slowly<<<count / width, width>>>(to, from);
        add_slowly<<<count / width, width>>>(to, 3);
    };
    const double of_ten = seconds(10, launches), of_thousand = seconds(1000, launches);
    EXPECT_LT(of_thousand, 20 * of_ten + 0.5);
    EXPECT_EQ(last(to), 3);
    copy_slowly<<<count / width, width>>>(to, from);
    EXPECT_EQ(last(to), 0) << "within the circle";
    add_slowly<<<count / width, width>>>(to, 3);
    add_slowly<<<count / width, width>>>(to, 3);
    EXPECT_EQ(last(to), 6) << "outside of it";
}

TEST_F(RepeatedLaunches, areExecutedIfTheyGoOn) {
    for (int i = 0; i < 50; ++i) add<<<count / width, width>>>(to, 1);
    EXPECT_EQ(last(to), 50);
    ASSERT_EQ(cudaMemset(to, 0, count * sizeof(int)), cudaSuccess);
    for (int i = 0; i < 50; ++i) add_atomically<<<count / width, width>>>(to);
    int value = 0;
    ASSERT_EQ(cudaMemcpy(&value, to, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(value, 50 * count / width);
}

TEST_F(RepeatedLaunches, seeWhatTheHostWritesBetweenThem) {
    int* mapped = nullptr;
    ASSERT_EQ(cudaMallocHost(&mapped, count * sizeof(int)), cudaSuccess);
    for (int i = 0; i < 5; ++i) {
        mapped[count - 1] = i;
        copy<<<count / width, width>>>(to, mapped);
        EXPECT_EQ(last(to), i);
        ASSERT_EQ(cudaMemcpy(from + count - 1, &i, sizeof i, cudaMemcpyHostToDevice), cudaSuccess);
        copy<<<count / width, width>>>(mapped, from);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(mapped[count - 1], i);
        mapped[count - 1] = -1;
    }
    cudaFreeHost(mapped);
}

TEST_F(RepeatedLaunches, readTheClockEachTime) {
    long long* times = nullptr;
    ASSERT_EQ(cudaMalloc(&times, width * sizeof(long long)), cudaSuccess);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(cudaMemset(times, 0, width * sizeof(long long)), cudaSuccess);
        put_clock<<<1, width>>>(times);
        long long now = 0;
        ASSERT_EQ(cudaMemcpy(&now, times, sizeof now, cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_GT(now, 0);
    }
    cudaFree(times);
}

}  // namespace

/// Starts the program again with one launch of each kernel to be counted: the model reads its limits when it is loaded.
int main(int argc, char** argv) {
    if (!std::getenv("SIMT_LAUNCHES")) {
        setenv("SIMT_LAUNCHES", "1", 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
