// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Odd but legal CUDA, compiled and run: what the translator writes is C++, and means what the source means.

#include <gtest/gtest.h>

#include <vector>

#include "oddities.cuh"
#include "simt/model.hpp"

namespace {

constexpr int lanes = 32;

/// Runs `launch` with a device buffer of 32 ints, and returns what is in it then.
template <class Run>
std::vector<int> output_of(Run launch)
{
    int* device = nullptr;
    EXPECT_EQ(cudaMalloc(&device, lanes * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemset(device, 0, lanes * sizeof(int)), cudaSuccess);
    simt::take_launches();
    launch(device);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(simt::take_launches().size(), 1u);
    std::vector<int> host(lanes);
    EXPECT_EQ(cudaMemcpy(host.data(), device, lanes * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    return host;
}

/// 32 ints, each `f` of its place.
template <class F>
std::vector<int> each(F f)
{
    std::vector<int> values(lanes);
    for (int i = 0; i < lanes; ++i) values[static_cast<std::size_t>(i)] = f(i);
    return values;
}

// --- launches ---------------------------------------------------------------------------------

namespace kernels {

template <int N, class T>
__global__ void add(T* out, T value)
{
    out[threadIdx.x] = value + N;
}

__global__ void fill(int* out, int value, const int* source = nullptr) { out[threadIdx.x] = source ? *source : value; }

struct Pair {
    int a, b;
};

__global__ void pair(int* out, Pair p, const int* none) { out[threadIdx.x] = none ? -1 : 10 * p.a + p.b; }

struct Holder {
    static __global__ void member(int* out) { out[threadIdx.x] = 7; }
};

}  // namespace kernels

#define LAUNCH(kernel, ...)          \
    do {                             \
        kernel<<<1, 32>>>(__VA_ARGS__); \
    } while (0)
#define CONFIGURED(kernel) kernel<<<1, 32>>>

template <class T>
struct Size {
    static constexpr unsigned value = sizeof(T) * 8;
};

template <void (*kernel)(int*, int, const int*)>
void launch_parameter(int* out)
{
    kernel<<<1, 32>>>(out, 4, nullptr);
}

TEST(OddLaunches, SpanLinesAndTakeTemplates)
{
    const auto launch = [](int* out) {
        kernels::add<(3 > 2) + 1, int>
            <<<dim3(1, 1),  // one block
               Size<Size<int>>::value * 4 * sizeof(std::vector<std::vector<int>>) / 24>>>
            (out,
             40);
    };
    EXPECT_EQ(output_of(launch), each([](int) { return 42; }));
}

TEST(OddLaunches, StandInMacrosAndLambdas)
{
    EXPECT_EQ(output_of([](int* out) { LAUNCH(kernels::fill, out, 3); }), each([](int) { return 3; }));
    EXPECT_EQ(output_of([](int* out) { LAUNCH((kernels::add<1, int>), out, 3); }), each([](int) { return 4; }));
    EXPECT_EQ(output_of([](int* out) { CONFIGURED(kernels::fill)(out, 5); }), each([](int) { return 5; }));
}

TEST(OddLaunches, TakeAnyExpressionForTheKernel)
{
    void (*pointer)(int*, int, const int*) = kernels::fill;
    void (*table[])(int*) = {kernels::Holder::member};
    EXPECT_EQ(output_of([&](int* out) { pointer<<<1, 32>>>(out, 3, nullptr); }), each([](int) { return 3; }));
    EXPECT_EQ(output_of([&](int* out) { (out ? pointer : nullptr)<<<1, 32>>>(out, 3, nullptr); }), each([](int) { return 3; }));
    EXPECT_EQ(output_of([&](int* out) { table[0]<<<1, 32>>>(out); }), each([](int) { return 7; }));
    EXPECT_EQ(output_of([&](int* out) { kernels::Holder::member<<<1, 32>>>(out); }), each([](int) { return 7; }));
    EXPECT_EQ(output_of([&](int* out) { if (out) ::kernels::fill<<<1, 32>>>(out, 1); else ::kernels::fill<<<1, 32>>>(out, 2); }), each([](int) { return 1; }));
    EXPECT_EQ(output_of(launch_parameter<kernels::fill>), each([](int) { return 4; }));
}

TEST(OddLaunches, TakeBracesAndNullPointers)
{
    EXPECT_EQ(output_of([](int* out) { kernels::pair<<<{1, 1}, {32}>>>(out, {4, 2}, 0); }), each([](int) { return 42; }));
    EXPECT_EQ(output_of([](int* out) { kernels::pair<<<1, 32, 0, 0>>>(out, {4, 3}, NULL); }), each([](int) { return 43; }));
    int evaluations = 0;
    EXPECT_EQ(output_of([&](int* out) { kernels::fill<<<1, 32>>>(out, ++evaluations, 0); }), each([](int) { return 1; }));
    EXPECT_EQ(evaluations, 1);
}

// --- shared variables -------------------------------------------------------------------------

struct Cell {
    int key;
    float values[2];
};
typedef int Row[8];
using Matrix = int[4][8];

__global__ void many_kinds(int* out)
{
    __shared__ int a[4][8], b, *pointer;
    float __shared__ c[lanes];
    volatile __shared__ unsigned d[lanes];
    __shared__ __align__(16) char raw[lanes];
    __shared__ Cell cells[lanes];
    __shared__ Row rows[4];
    __shared__ Matrix matrix;
    __shared__ int (*row)[8];
    __shared__ union { int i; float f; } both;
    [[maybe_unused]] __shared__ struct Local { short s[2]; } locals[lanes];
    const int t = threadIdx.x;
    if (t == 0) b = 1, pointer = &b, row = a, both.i = 1;
    d[t] = 1;
    c[t] = 1, raw[t] = 1, cells[t].values[1] = 1, rows[t / 8][t % 8] = 1, matrix[t / 8][t % 8] = 1, locals[t].s[1] = 1;
    a[t / 8][t % 8] = t;
    __syncthreads();
    const int u = lanes - 1 - t;
    const bool aligned = reinterpret_cast<std::size_t>(raw) % 16 == 0;
    out[t] = *pointer + static_cast<int>(c[u]) + static_cast<int>(d[u]) + raw[u] + static_cast<int>(cells[u].values[1]) + rows[u / 8][u % 8] +
             matrix[u / 8][u % 8] + locals[u].s[1] + both.i + row[u / 8][u % 8] + aligned;
}

TEST(OddShared, VariablesOfAllKindsAreTheirOwn)
{
    EXPECT_EQ(output_of([](int* out) { many_kinds<<<1, lanes>>>(out); }), each([](int i) { return 10 + lanes - 1 - i; }));
}

template <class T>
__global__ void dynamic(T* out)
{
    extern __shared__ T s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[lanes - 1 - threadIdx.x];
}

}  // namespace

extern __shared__ int outside[];

namespace {

namespace inner {
__shared__ int also_outside[lanes];
}

__device__ int read_outside(int i)
{
    return ::outside[i] + inner::also_outside[1] - 100;
}

namespace inner {
__device__ int read_also(int i) { return also_outside[i]; }
__global__ void from_outside(int* out)
{
    outside[threadIdx.x] = threadIdx.x;
    also_outside[threadIdx.x] = 100;
    __syncthreads();
    out[threadIdx.x] = read_outside(lanes - 1 - threadIdx.x) + read_also(0);
}
}  // namespace inner

TEST(OddShared, DynamicArraysMayBeOfTheTemplatesType)
{
    EXPECT_EQ(output_of([](int* out) { dynamic<int><<<1, lanes, lanes * sizeof(int)>>>(out); }), each([](int i) { return lanes - 1 - i; }));
}

TEST(OddShared, DeclarationsOutsideFunctionsAreOneVariableForAll)
{
    EXPECT_EQ(output_of([](int* out) { inner::from_outside<<<1, lanes, lanes * sizeof(int)>>>(out); }), each([](int i) { return 100 + lanes - 1 - i; }));
}

#define SHARED __shared__
#define TILE(T, name) __shared__ T name[lanes]
#define KERNEL static __global__ void

KERNEL through_macros(int* out)
{
    SHARED int one[lanes];
    TILE(int, two);
    one[threadIdx.x] = two[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = one[lanes - 1 - threadIdx.x] + two[threadIdx.x];
}

TEST(OddShared, VariablesAndKernelsMayBeDeclaredThroughMacros)
{
    EXPECT_EQ(output_of([](int* out) { through_macros<<<1, lanes>>>(out); }), each([](int) { return lanes - 1; }));
}

// --- device variables -------------------------------------------------------------------------

__device__ int first = 3, second[2] = {4, 5};
static __device__ volatile int third(6);
namespace inner {
__device__ __managed__ int fourth{7};
}
__device__ int twice(int);
__device__ int (*function)(int) = twice;
__device__ int twice(int x) { return 2 * x; }

__global__ void read_variables(int* out) { out[threadIdx.x] = first + second[1] + third + inner::fourth + function(1); }

TEST(OddDeviceVariables, KeepTheirValues)
{
    EXPECT_EQ(output_of([](int* out) { read_variables<<<1, lanes>>>(out); }), each([](int) { return 23; }));
}

TEST(OddHeaders, AreTranslatedToo)
{
    EXPECT_EQ(output_of(header::launch), each([](int i) { return (31 - i) % 2 ? 5 : 3; }));
}

// --- kernels ----------------------------------------------------------------------------------

template <class T>
    requires(sizeof(T) == 4)
__global__ void __launch_bounds__(lanes) constrained(T* out, T value = {9})
    requires requires(T t) { t + 1; }
{
    out[threadIdx.x] = value;
}

TEST(OddKernels, MayHaveRequirements)
{
    EXPECT_EQ(output_of([](int* out) { constrained<<<1, lanes>>>(out, 9); }), each([](int) { return 9; }));
}

// --- branches ---------------------------------------------------------------------------------

__device__ int load_through(const int* from)
{
#ifdef CONFLICT_FREE_SIMT
    return *from;
#else
    int value;
    asm volatile("ld.global.L2::256B.s32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
#endif
}

__global__ void load_and_add(int* out) { out[threadIdx.x] = load_through(out + threadIdx.x) + 2; }

TEST(OddBranches, TheModelMayHaveOneOfItsOwn)
{
    EXPECT_EQ(output_of([](int* out) { load_and_add<<<1, lanes>>>(out); }), each([](int) { return 2; }));
}

}  // namespace
