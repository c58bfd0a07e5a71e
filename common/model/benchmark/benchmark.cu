// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Measures how many accesses the model counts in a second, and how many operations it executes.
//
// Each kernel runs once to allocate its memory, then several times for the measurement. The time is processor time, so that other
// programs disturb it little: the printed speed is that of one core.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "model_results.hpp"

namespace {

constexpr int N = 2048, TILE = 32, ROWS = 8;
constexpr int RUNS = 3;

__global__ void copy(float* output, const float* input) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[(y + j) * N + x] = input[(y + j) * N + x];
}

__global__ void transpose_naive(float* output, const float* input) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[x * N + y + j] = input[(y + j) * N + x];
}

template <int padding> __global__ void transpose_tile(float* output, const float* input) {
    __shared__ float tile[TILE][TILE + padding];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int block> __global__ void reduce(float* sums, const float* input) {
    __shared__ float partial[block];
    unsigned tid = threadIdx.x;
    partial[tid] = input[blockIdx.x * block + tid];
    __syncthreads();
    for (unsigned s = block / 2; s > 0; s /= 2) {
        if (tid < s) partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = partial[0];
}

/// Accesses of single threads in a reduction with blocks of `block`: all load and store an element; in each step half of
/// the threads load two and store one; the first loads and stores the sum.
long accesses_of_reduction(long block) { return long{N} * N / block * (2 * block + 3 * (block - 1) + 2); }

constexpr int ROUNDS = 64, OPERATIONS_OF_A_ROUND = 8, THREADS = 1 << 18;

/// Each result depends on the ones before, so that the compiler keeps all operations.
__global__ void calculate(float* output) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bits = i;
    float x = static_cast<float>(i), y = 1.0f;
    for (int round = 0; round < ROUNDS; ++round) {
        x = fmaf(x, 0.75f, y);
        y = x * 0.5f;
        x = x + y;
        y = fminf(y, x);
        bits = bits * 1664525u + i;
        i = i ^ bits;
        bits = bits + i;
        i = i >> 1;
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = x + y + static_cast<float>(i ^ bits);
}

/// Processor seconds of the median run.
double seconds_of(const std::function<void()>& launch) {
    std::vector<double> seconds;
    for (int run = 0; run < RUNS; ++run) {
        const std::clock_t start = std::clock();
        launch();
        seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::ranges::nth_element(seconds, seconds.begin() + RUNS / 2);
    return seconds[RUNS / 2];
}

void measure(const char* name, long accesses, const std::function<void()>& launch) {
    launch();
    const double seconds = seconds_of(launch);
    if (cudaGetLastError() != cudaSuccess || !model::take_hazards().empty()) std::printf("%s failed\n", name);
    model::take_launches();
    std::printf("%-34s %12ld %9.3f %9.1f\n", name, accesses, seconds, static_cast<double>(accesses) / seconds / 1e6);
}

}  // namespace

int main() {
    std::vector<float> zeros(N * N);
    float *input, *output;
    if (cudaMalloc(&input, sizeof(float) * N * N) != cudaSuccess || cudaMalloc(&output, sizeof(float) * N * N) != cudaSuccess) return 1;
    cudaMemcpy(input, zeros.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

    constexpr long elements = long{N} * N;
    const dim3 tiles(N / TILE, N / TILE), threads(TILE, ROWS);
    std::printf("%-34s %12s %9s %9s\n", "", "accesses", "seconds", "million/s");
    measure("copy", 2 * elements, [=] { copy<<<tiles, threads>>>(output, input); });
    measure("transpose, naive", 2 * elements, [=] { transpose_naive<<<tiles, threads>>>(output, input); });
    measure("transpose, tile without padding", 4 * elements, [=] { transpose_tile<0><<<tiles, threads>>>(output, input); });
    measure("transpose, padded tile", 4 * elements, [=] { transpose_tile<1><<<tiles, threads>>>(output, input); });
    measure("reduction, blocks of 256 threads", accesses_of_reduction(256), [=] { reduce<256><<<N * N / 256, 256>>>(output, input); });
    measure("reduction, blocks of 1024 threads", accesses_of_reduction(1024), [=] { reduce<1024><<<N * N / 1024, 1024>>>(output, input); });
    std::printf("%-34s %12s\n", "", "operations");
    measure("arithmetic", long{THREADS} * ROUNDS * OPERATIONS_OF_A_ROUND, [=] { calculate<<<THREADS / 256, 256>>>(output); });
    return 0;
}
