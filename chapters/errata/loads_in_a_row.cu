// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A load takes the time of the loop divided by its loads": one thread loads words far apart. First each address is known
// beforehand, then each address is what the load before has found.

#include <cstdio>
#include <cuda_runtime.h>

constexpr unsigned word_of_line = 32;  // words in a line of 128 bytes

// Line number `load` of a walk that visits `lines` lines, a power of two, in an order without neighbors.
__device__ unsigned place(unsigned load, unsigned lines) { return load * 2654435761u % lines * word_of_line; }

__global__ void lay(unsigned* words, unsigned lines, unsigned loads)
{
    unsigned load = blockIdx.x * blockDim.x + threadIdx.x;
    if (load < loads) words[place(load, lines)] = place((load + 1) % loads, lines);
}

// [loads_in_a_row]
__global__ void loads_apart(const unsigned* words, unsigned lines, unsigned loads, unsigned* found, long long* cycles)
{
    unsigned sum = 0;
    long long start = clock64();
#pragma unroll 16
    for (unsigned load = 0; load < loads; ++load) sum += words[place(load, lines)];
    *(volatile unsigned*)found = sum;
    *cycles = clock64() - start;
}

__global__ void loads_in_a_row(const unsigned* words, unsigned loads, unsigned* found, long long* cycles)
{
    unsigned at = 0;
    long long start = clock64();
    for (unsigned load = 0; load < loads; ++load) at = words[at];
    *(volatile unsigned*)found = at;
    *cycles = clock64() - start;
}
// [/loads_in_a_row]

__global__ void loads_from_shared_memory(unsigned loads, unsigned* found, long long* cycles)
{
    __shared__ unsigned words[64];
    for (unsigned load = 0; load < 64; ++load) words[load * 5 % 64] = (load + 1) * 5 % 64;
    unsigned at = 0;
    long long start = clock64();
    for (unsigned load = 0; load < loads; ++load) at = words[at];
    *(volatile unsigned*)found = at;
    *cycles = clock64() - start;
}

struct Walk {
    const char* memory;
    unsigned lines, loads;
};

constexpr size_t megabyte = size_t{1} << 20, array_bytes = 512 * megabyte, more_than_the_l2 = 128 * megabyte;

struct Arrays {
    unsigned *words, *elsewhere, *found;
    long long* cycles;
};

void launch(const Walk& walk, const Arrays& arrays, bool in_a_row)
{
    if (!walk.lines)
        loads_from_shared_memory<<<1, 1>>>(walk.loads, arrays.found, arrays.cycles);
    else if (in_a_row)
        loads_in_a_row<<<1, 1>>>(arrays.words, walk.loads, arrays.found, arrays.cycles);
    else
        loads_apart<<<1, 1>>>(arrays.words, walk.lines, walk.loads, arrays.found, arrays.cycles);
}

// Prints the cycles of a load, and nanoseconds if `name` is that of a walk through DRAM, which takes much longer than a launch.
void time_walk(const Walk& walk, const Arrays& arrays, const char* name, bool in_a_row = true)
{
    bool is_dram = walk.loads < walk.lines;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    // The second launch finds its code in the cache, and its words unless others have taken their place.
    for (int repeat = 0; repeat < 2; ++repeat) {
        if (is_dram) cudaMemset(arrays.elsewhere, 0, more_than_the_l2);
        cudaEventRecord(begin);
        launch(walk, arrays, in_a_row);
        cudaEventRecord(end);
        cudaDeviceSynchronize();
    }
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    // The model's clock counts how often it is read.
    if (*arrays.cycles <= walk.loads) return;
    std::printf("figure %s_cycles %.4g\n", name, static_cast<double>(*arrays.cycles) / walk.loads);
    if (is_dram) std::printf("figure %s_ns %.4g\n", name, ms * 1e6 / walk.loads);
}

int main()
{
    Arrays arrays;
    cudaMalloc(&arrays.words, array_bytes);
    cudaMalloc(&arrays.elsewhere, more_than_the_l2);
    cudaMallocManaged(&arrays.found, sizeof(unsigned));
    cudaMallocManaged(&arrays.cycles, sizeof(long long));
    unsigned wrong = 0;
    for (Walk walk : {Walk{"shared", 0, 1024}, Walk{"l1", 128, 1024}, Walk{"l2", 1 << 14, 1 << 14}, Walk{"dram", 1 << 22, 2048}}) {
        unsigned laid = walk.lines < walk.loads ? walk.lines : walk.loads;
        if (laid) lay<<<(laid + 255) / 256, 256>>>(arrays.words, walk.lines, laid);
        time_walk(walk, arrays, walk.memory);
        wrong += *arrays.found != 0;  // a walk ends where it began
        if (walk.loads < walk.lines) time_walk(walk, arrays, "apart", false);
    }
    std::printf("%u walks are wrong\n", wrong);
    return wrong != 0;
}
