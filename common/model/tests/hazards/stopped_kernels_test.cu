// Kernels that cannot go on: each is reported, and other kernels run.

#include <gtest/gtest.h>

#undef NDEBUG  // an assertion is part of what is tested
#include <cassert>
#include <functional>

#include "marked_hazards.hpp"

namespace {

const MarkedFile stops(__FILE__);

__global__ void barrier_under_condition(int* data, int n) {
    if (threadIdx.x < n) {
        data[threadIdx.x] = 1;
        __syncthreads();  // here: under condition
    }
}

__global__ void two_barriers(int* data) {
    if (threadIdx.x % 2) {
        data[threadIdx.x] = 1;
        __syncthreads();  // here: odd barrier
    } else {
        data[threadIdx.x] = 2;
        __syncthreads();  // here: even barrier
    }
}

TEST(DivergentBarrier, NotReachedByAllThreads) {
    Ints data(N);
    EXPECT_TRUE(hazards_of([&] { barrier_under_condition<<<1, N>>>(data.data, N); }).empty());
    expect_one(stops, hazards_of([&] { barrier_under_condition<<<1, N>>>(data.data, N / 2); }), HazardKind::divergent_barrier,
               {"under condition"});
    expect_one(stops, hazards_of([&] { two_barriers<<<1, N>>>(data.data); }), HazardKind::divergent_barrier,
               {"even barrier", "odd barrier"});
}

__global__ void wait_for_nobody(int* data) {
    if (threadIdx.x < 16) __syncwarp(~0u);
    __syncthreads();
    data[threadIdx.x] = 1;
}

TEST(Deadlock, LanesThatWaitForOnesThatNeverCome) {
    Ints data(32);
    const auto hazards = hazards_of([&] { wait_for_nobody<<<1, 32>>>(data.data); });
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, HazardKind::deadlock);
}

// Ends of kernels that are no hazards

__global__ void wait_in_shared_memory(int* data) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (ready == 0) {}
    if (threadIdx.x == N - 1) ready = 1;
    data[threadIdx.x] = 1;
}

TEST(Progress, AThreadThatSpinsLetsOthersRun) {
    Ints data(N);
    for (const Hazard& hazard : hazards_of([&] { wait_in_shared_memory<<<1, N>>>(data.data); }))
        EXPECT_EQ(hazard.kind, HazardKind::race) << "a plain flag races, and no more";
    EXPECT_TRUE(model::take_errors().empty());
}

__device__ int recurse(int* data, int depth) { return depth < 0 ? 0 : data[0] + recurse(data, depth + 1) * 3 + depth; }
__global__ void runaway(int* data) { data[1] = recurse(data, 1); }
__global__ void divide(int* data, int by) { data[0] /= by; }

Message error_of(const std::function<void()>& launch, cudaError_t code = cudaErrorLaunchFailure) {
    model::take_hazards();
    model::take_errors();
    launch();
    EXPECT_EQ(cudaGetLastError(), code);
    const auto hazards = model::take_hazards();
    EXPECT_TRUE(hazards.empty()) << hazards[0].message.text();
    const auto errors = model::take_errors();
    EXPECT_EQ(errors.size(), 1u);
    return errors.empty() ? Message() : errors[0];
}

TEST(Errors, RecursionEndsTheKernelOnly) {
    Ints data(2);
    EXPECT_EQ(error_of([&] { runaway<<<1, 1>>>(data.data); }, cudaErrorHardwareStackError).code, MessageCode::too_many_calls);
    EXPECT_TRUE(hazards_of([&] { divide<<<1, 1>>>(data.data, 1); }).empty());
}

TEST(Errors, DivisionByZeroIsNone) {
    Ints data(2);
    EXPECT_TRUE(hazards_of([&] { divide<<<1, 1>>>(data.data, 0); }).empty());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_TRUE(model::take_errors().empty());
    int quotient = 0;
    cudaMemcpy(&quotient, data.data, sizeof quotient, cudaMemcpyDeviceToHost);
    EXPECT_EQ(quotient, -1) << "as GPUs have it";
}

__global__ void assert_small(int* data, int limit) {
    const int i = threadIdx.x;
    data[i] = i;
    assert(i < limit);  // here: assertion
}
__global__ void trap_large(int* data, int limit) {
    const int i = threadIdx.x;
    if (i >= limit) __trap();  // here: trap
    data[i] = i;
}

TEST(Errors, AreReportedWithThreadAndLine) {
    Ints data(64);
    const std::vector<MessageField> thread_40{{"block", Extent{0, 0, 0}}, {"thread", Extent{40, 0, 0}}, {"file", stops.name}};
    const Message assertion = error_of([&] { assert_small<<<1, 64>>>(data.data, 40); }, cudaErrorAssert);
    expect_fields(assertion, MessageCode::assertion_failed, thread_40);
    expect_fields(assertion, MessageCode::assertion_failed,
                  {{"kernel", "assert_small"}, {"assertion", "i < limit"}, {"line", stops.line_of("assertion")}});
    const Message trap = error_of([&] { trap_large<<<1, 64>>>(data.data, 40); });
    expect_fields(trap, MessageCode::stopped_itself, thread_40);
    expect_fields(trap, MessageCode::stopped_itself, {{"kernel", "trap_large"}, {"line", stops.line_of("trap")}});
}

}  // namespace
