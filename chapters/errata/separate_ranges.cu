// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Coalesced accesses are as fast wherever the other blocks store": a copy whose accesses stay the same, while the blocks that
// run together load or store in more and more separate ranges of memory.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int threads = 512, loads = 8, chunk_floats = threads * loads;

// [separate_ranges]
// The chunk of a block: successive blocks take turns in `ranges` equal parts of the array, and each part is taken from its beginning.
__host__ __device__ int chunk_of(int block, int blocks, int ranges) { return block % ranges * (blocks / ranges) + block / ranges; }

__global__ void separate_ranges(float* output, const float* input, int load_ranges, int store_ranges)
{
    int from = chunk_of(blockIdx.x, gridDim.x, load_ranges) * chunk_floats + threadIdx.x;
    int to = chunk_of(blockIdx.x, gridDim.x, store_ranges) * chunk_floats + threadIdx.x;
    float values[loads];
    for (int i = 0; i < loads; ++i)
        values[i] = input[from + i * threads];
    for (int i = 0; i < loads; ++i)
        output[to + i * threads] = values[i];
}
// [/separate_ranges]

// The milliseconds of the fastest of some launches with no more than `resident` blocks on a multiprocessor: the most that fit, or
// as many as the shared memory that each asks for and does not use leaves room for.
float best_time(const Matrices& m, int resident, int load_ranges, int store_ranges, int launches)
{
    constexpr int most_resident = 2048 / threads, multiprocessor_shared = 228 << 10, reserved_shared = 1 << 10;
    int unused_bytes = resident == most_resident ? 0 : multiprocessor_shared / resident - reserved_shared;
    cudaFuncSetAttribute(separate_ranges, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    std::vector<float> times = milliseconds(launches, [&] {
        separate_ranges<<<m.width * m.width / chunk_floats, threads, unused_bytes>>>(
            m.output, m.input, load_ranges, store_ranges);
    });
    return *std::min_element(times.begin(), times.end());
}

void print_speeds(const Matrices& m)
{
    for (int resident : {1, 2, 4})
        for (int ranges = 1; ranges <= 512; ranges *= 2) {
            auto print = [&](const char* what, int load_ranges, int store_ranges) {
                std::printf("figure %s_ranges_%d_kib_%d %.5g\n", what, ranges, resident * chunk_floats * 4 / 1024,
                    gigabytes_per_second(m, best_time(m, resident, load_ranges, store_ranges, 12)));
            };
            print("loads", ranges, 1);
            print("stores", 1, ranges);
            print("both", ranges, ranges);
        }
}

// Runs the kernel on small arrays and returns the number of wrong elements.
size_t wrong_elements(const Matrices& m, int resident, int load_ranges, int store_ranges)
{
    int count = m.width * m.width, blocks = count / chunk_floats;
    std::vector<float> input(count), output(count);
    cudaMemset(m.output, 0xFF, count * sizeof(float));
    best_time(m, resident, load_ranges, store_ranges, 1);
    cudaMemcpy(input.data(), m.input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), m.output, count * sizeof(float), cudaMemcpyDeviceToHost);
    size_t wrong = 0;
    for (int i = 0; i < count; ++i) {
        int from = chunk_of(i / chunk_floats, blocks, load_ranges), to = chunk_of(i / chunk_floats, blocks, store_ranges);
        wrong += output[to * chunk_floats + i % chunk_floats] != input[from * chunk_floats + i % chunk_floats];
    }
    return wrong;
}

int main()
{
    Matrices m = allocate(), small = with_input(m, small_width);
    size_t wrong = wrong_elements(small, 1, 3, 9) + wrong_elements(small, 4, 9, 1);
    if (!std::isnan(best_time(small, 4, 1, 1, 1))) print_speeds(with_input(m, large_width));
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
