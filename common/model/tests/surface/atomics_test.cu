// Atomic operations: each against its definition, by one thread alone and by many together.

#include <algorithm>

#include "support.hpp"

namespace {

template <class T> __global__ void operate(T* data, T* old, const T* values, int n) {
    for (int i = 0; i < n; ++i) {
        T* at = data + 10 * i;
        T* before = old + 10 * i;
        before[0] = atomicAdd(at, values[i]);
        before[1] = atomicExch(at + 1, values[i]);
        before[2] = atomicMin(at + 2, values[i]);
        before[3] = atomicMax(at + 3, values[i]);
        before[4] = atomicAnd(at + 4, values[i]);
        before[5] = atomicOr(at + 5, values[i]);
        before[6] = atomicXor(at + 6, values[i]);
        before[7] = atomicCAS(at + 7, values[i], T(1));
        before[8] = atomicAdd_block(at + 8, values[i]);
        before[9] = atomicMax_system(at + 9, values[i]);
    }
}

template <class T> class Atomics : public testing::Test {};
using AtomicTypes = testing::Types<int, unsigned, unsigned long long>;
TYPED_TEST_SUITE(Atomics, AtomicTypes, );

TYPED_TEST(Atomics, DoWhatTheirNamesSay) {
    using T = TypeParam;
    constexpr int n = 50;
    auto initial = random_values<T>(10 * n), values = random_values<T>(n, 2);
    for (int i = 0; i < n; i += 2) initial[10 * i + 7] = values[i];  // half of the comparisons succeed
    Device<T> data(initial), old(10 * n), given(values);
    counts_of([&] { operate<<<1, 1>>>(data.data, old.data, given.data, n); });
    EXPECT_EQ(old.host(), initial);
    const auto result = data.host();
    using U = std::make_unsigned_t<T>;
    for (int i = 0; i < n; ++i) {
        const T* was = &initial[10 * i];
        const T v = values[i];
        const std::vector<T> expected = {T(U(was[0]) + U(v)), v,
                                         std::min(was[2], v), std::max(was[3], v),
                                         T(was[4] & v),       T(was[5] | v),
                                         T(was[6] ^ v),       was[7] == v ? T(1) : was[7],
                                         T(U(was[8]) + U(v)), std::max(was[9], v)};
        EXPECT_EQ(std::vector<T>(result.begin() + 10 * i, result.begin() + 10 * i + 10), expected);
    }
}

__global__ void wrap(unsigned* up, unsigned* down, unsigned limit) {
    atomicInc(up, limit);
    atomicDec(down, limit);
}

TEST(AtomicCounters, WrapAtTheirLimit) {
    Device<unsigned> up(std::vector<unsigned>{0}), down(std::vector<unsigned>{3});
    counts_of([&] { wrap<<<2, 50>>>(up.data, down.data, 6); });
    EXPECT_EQ(up.host()[0], 100u % 7);
    // 3, 2, 1, 0, 6, 5, …: after 100 steps down from 3 among 7 values.
    EXPECT_EQ(down.host()[0], (3u + 7u * 100u - 100u) % 7u);
    cudaMemset(down.data, 0xff, 4);
    counts_of([&] { wrap<<<1, 1>>>(up.data, down.data, 6); });
    EXPECT_EQ(down.host()[0], 6u) << "above the limit it starts again at the limit";
}

__global__ void add_reals(float* f, double* d, float2* f2, float4* f4) {
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd(f2, make_float2(1, 2));
    atomicAdd(f4, make_float4(1, 2, 3, 4));
    atomicExch(f + 1, float(threadIdx.x));
    atomicSub(reinterpret_cast<int*>(f + 2), 3);
}

TEST(AtomicReals, AddUp) {
    Device<float> f(std::vector<float>(3));
    Device<double> d(std::vector<double>(1));
    Device<float2> f2(std::vector<float2>(1));
    Device<float4> f4(std::vector<float4>(1));
    counts_of([&] { add_reals<<<4, 64>>>(f.data, d.data, f2.data, f4.data); });
    EXPECT_EQ(f.host()[0], 128.0f);
    EXPECT_EQ(d.host()[0], 64.0);
    EXPECT_EQ(f2.host()[0].y, 512.0f);
    EXPECT_EQ(f4.host()[0].z, 768.0f);
    EXPECT_EQ(std::bit_cast<int>(f.host()[2]), -768);
}

__global__ void locked(int* lock, int* value) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    int old = *static_cast<volatile int*>(value);
    *static_cast<volatile int*>(value) = old + 1;
    __threadfence();
    atomicExch(lock, 0);
}

TEST(AtomicLocks, LetOneThreadOfABlockInAtATime) {
    Device<int> lock(std::vector<int>(1)), value(std::vector<int>(1));
    model::take_launches();
    locked<<<8, 1>>>(lock.data, value.data);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(value.host()[0], 8);
    model::take_hazards();
}

enum class Poll { add, exchange, compare, bits, clock, sleep };

__global__ void hand_over(int* flag, int* value, Poll how) {
    if (threadIdx.x == 0) {
        for (bool waits = true; waits;) switch (how) {
                case Poll::add: waits = atomicAdd(flag, 0) == 0; break;
                case Poll::exchange: waits = atomicExch(flag + 1, 1) == 1; break;
                case Poll::compare: waits = atomicCAS(flag, 1, 2) == 0; break;
                case Poll::bits: waits = atomicOr(flag, 0) == 0; break;
                case Poll::clock: clock64(), waits = *static_cast<volatile int*>(flag) == 0; break;
                case Poll::sleep: __nanosleep(10), waits = *static_cast<volatile int*>(flag) == 0; break;
            }
        value[1] = atomicAdd(value, 0) + 1;
    } else if (threadIdx.x == 40) {  // a lane of another warp, which has not run yet
        atomicExch(value, 41);
        __threadfence();
        atomicExch(flag, 1);
        atomicExch(flag + 1, 0);
    }
}

TEST(AtomicLocks, AThreadThatPollsLetsOthersRun) {
    for (const Poll how : {Poll::add, Poll::exchange, Poll::compare, Poll::bits, Poll::clock, Poll::sleep}) {
        Device<int> flag(std::vector<int>{0, 1}), value(std::vector<int>(2));
        model::take_launches();
        hand_over<<<1, 64>>>(flag.data, value.data, how);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess) << static_cast<int>(how);
        EXPECT_EQ(value.host()[1], 42) << static_cast<int>(how);
        const auto counts = model::take_launches().at(0);
        EXPECT_LT(counts.global_atomic.requests + counts.global_load.requests, 100u) << "it gives way before long";
    }
    model::take_hazards();
}

__global__ void at_lines(int* data) {
    atomicAdd(data, 1);
    atomicMax(data, 100);
}

TEST(AtomicCounts, StandAtTheUsersLines) {
    Device<int> data(std::vector<int>(1));
    const auto counts = counts_of([&] { at_lines<<<1, 32>>>(data.data); });
    ASSERT_EQ(counts.lines.size(), 2u);
    for (const auto& line : counts.lines) {
        EXPECT_EQ(line.file, "atomics_test.cu");
        EXPECT_EQ(line.operation, simt::Operation::atomic);
    }
    EXPECT_EQ(counts.lines[1].line, counts.lines[0].line + 1);
    EXPECT_EQ(counts.global_load.requests + counts.global_store.requests, 0u) << "an atomic's own loads and stores do not count";
}

}  // namespace
