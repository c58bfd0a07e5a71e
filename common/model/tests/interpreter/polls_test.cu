// Threads that poll memory: they make progress, their warps stay whole, and their counts are marked.

#include <cooperative_groups.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model_results.hpp"

namespace {

constexpr int blocks = 12, threads = 96;

struct Ints {
    explicit Ints(std::size_t count) {
        cudaMalloc(&data, count * sizeof(int));
        cudaMemset(data, 0, count * sizeof(int));
    }
    ~Ints() { cudaFree(data); }
    std::vector<int> host(std::size_t count) const {
        std::vector<int> values(count);
        cudaMemcpy(values.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost);
        return values;
    }
    int* data = nullptr;
};

template <class Launch> simt::LaunchCounts counts_despite_races(Launch launch) {
    model::take_launches();
    launch();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    // A flag that is not atomic is a race by the model's rules, and not the subject of this test.
    model::take_hazards();
    EXPECT_EQ(model::take_errors(), std::vector<simt::Message>());
    const auto launches = model::take_launches();
    return launches.empty() ? simt::LaunchCounts() : launches.back();
}

/// Whether a note says that threads poll there, at any line.
bool is_marked(const simt::LaunchCounts& counts) {
    const auto looks = [](const simt::FusedAccess& note) {
        return note.why.find("threads look here") != std::string::npos && note.line > 0;
    };
    return std::ranges::any_of(counts.fused, looks) && !counts.exact;
}

/// Block b goes on when block b + step has, the last one at once.
__global__ void chain(int* out, volatile int* done, int step) {
    const int before = static_cast<int>(blockIdx.x) + step;
    if (threadIdx.x == 0 && before >= 0 && before < static_cast<int>(gridDim.x))
        while (done[before] == 0) {}
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        done[blockIdx.x] = 1;
    }
}

TEST(Polls, OfBlocksThatWaitForOthersAreMarkedAndLeaveWarpsWhole) {
    for (const int step : {-1, 1}) {
        Ints out(blocks * threads), done(blocks);
        const auto counts = counts_despite_races([&] { chain<<<blocks, threads>>>(out.data, done.data, step); });
        EXPECT_EQ(out.host(blocks * threads), std::vector<int>(blocks * threads, 1));
        EXPECT_EQ(counts.global_store.requests, blocks * threads / 32 + blocks) << "a request a warp, and the flags; step " << step;
        EXPECT_GE(counts.global_load.requests, blocks - 1);
        EXPECT_LE(counts.global_load.requests, blocks * (blocks + 1) / 2) << "who has looked in vain lets all others go on; step " << step;
        EXPECT_TRUE(is_marked(counts)) << "step " << step;
    }
}

/// The first poll precedes the loop: compilers may produce this, and CUB's scan is written so.
__global__ void look_before_the_loop(int* out, volatile int* done) {
    int is_done = done[0];
    while (is_done == 0) {
        __nanosleep(20);
        __syncwarp();
        is_done = done[0];
    }
    out[threadIdx.x] = is_done;
}

TEST(Polls, ThatFindAtOnceWhatTheyLookForAreMarked) {
    Ints out(32), done(1);
    cudaMemset(done.data, 1, sizeof(int));
    const auto counts = counts_despite_races([&] { look_before_the_loop<<<1, 32>>>(out.data, done.data); });
    EXPECT_EQ(out.host(32), std::vector<int>(32, 0x01010101));
    EXPECT_EQ(counts.global_load.requests, 1u);
    EXPECT_TRUE(is_marked(counts));
}

__global__ void rounds_of_the_grid(int* data, int rounds) {
    const auto grid = cooperative_groups::this_grid();
    for (int round = 0; round < rounds; ++round) {
        data[grid.thread_rank()] += 1;
        grid.sync();
    }
}

TEST(Polls, OfTheGridsBarrierAreMarkedAndLeaveWarpsWhole) {
    int rounds = 5;
    Ints data(blocks * threads);
    const auto counts = counts_despite_races([&] {
        void* arguments[] = {&data.data, &rounds};
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds_of_the_grid), dim3(blocks), dim3(threads), arguments, 0, nullptr);
    });
    EXPECT_EQ(data.host(blocks * threads), std::vector<int>(blocks * threads, rounds));
    const auto of_the_kernel = static_cast<std::uint64_t>(rounds * blocks * threads / 32);
    EXPECT_EQ(counts.global_store.requests, of_the_kernel);
    EXPECT_GE(counts.global_load.requests, of_the_kernel + static_cast<std::uint64_t>(rounds * blocks));
    EXPECT_LE(counts.global_load.requests, of_the_kernel + static_cast<std::uint64_t>(2 * rounds * blocks))
        << "each block looks once or twice";
    EXPECT_TRUE(is_marked(counts));
}

/// Lanes of a warp take a lock one after another; a lane that waits polls before it tries again.
__global__ void lock_in_a_warp(int* sum, int* lock) {
    for (bool is_done = false; !is_done;) {
        while (*static_cast<volatile int*>(lock) != 0) {}
        if (atomicCAS(lock, 0, 1) == 0) {
            *static_cast<volatile int*>(sum) = *static_cast<volatile int*>(sum) + 1;
            __threadfence();
            atomicExch(lock, 0);
            is_done = true;
        }
    }
}

TEST(Polls, OfLanesThatWaitForLanesOfTheirWarpEnd) {
    Ints sum(1), lock(1);
    const auto counts = counts_despite_races([&] { lock_in_a_warp<<<2, 64>>>(sum.data, lock.data); });
    EXPECT_EQ(sum.host(1)[0], 128);
    EXPECT_TRUE(is_marked(counts));
}

/// Adds by compare-and-swap until no other thread intervenes.
__global__ void add_by_swapping(int* sum) {
    int seen = *sum, before;
    do {
        before = seen;
        seen = atomicCAS(sum, before, before + static_cast<int>(threadIdx.x));
    } while (seen != before);
}

/// Loads that decide how long a loop goes on, at addresses that the loop changes: no polls.
__global__ void length_of_list(int* out, const volatile int* next) {
    int length = 0;
    for (int at = threadIdx.x; at >= 0; at = next[at]) ++length;
    out[threadIdx.x] = length;
}

/// A flag of the block, after a barrier: no thread polls it.
__global__ void rounds_of_a_block(int* data) {
    __shared__ volatile int more;
    do {
        __syncthreads();
        if (threadIdx.x == 0) more = 0;
        __syncthreads();
        if (data[threadIdx.x] < static_cast<int>(threadIdx.x)) {
            data[threadIdx.x] += 1;
            more = 1;
        }
        __syncthreads();
    } while (more);
}

TEST(Polls, AreToldFromOtherLoops) {
    Ints data(64), next(64);
    EXPECT_TRUE(is_marked(counts_despite_races([&] { add_by_swapping<<<1, 64>>>(data.data); })));
    cudaMemset(next.data, 0xFF, 64 * sizeof(int));
    EXPECT_FALSE(is_marked(counts_despite_races([&] { length_of_list<<<1, 64>>>(data.data, next.data); })));
    EXPECT_FALSE(is_marked(counts_despite_races([&] { rounds_of_a_block<<<1, 64>>>(data.data); })));
}

}  // namespace
