// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Shared memory that is not full costs no time": a sum whose words lie 1, 2, 4, 8 or 16 apart, with the same instructions and more
// wavefronts; with a store more in each round that no lane executes; with warps that jump over the round if they have no work; and with
// one number a thread or two, in four or eight blocks a multiprocessor.

#include "milliseconds.cuh"

#include <algorithm>
#include <cstdio>

constexpr int BLOCK = 256;

// How the rounds differ: a warp issues a store or a multiplication more, with all lanes switched off, or it jumps if it has no work.
enum class Change { none, store_off, multiplication_off, jump };

// [cost_of_a_wavefront]
template <int NUMBERS, int APART, Change change>
__global__ void cost_of_a_wavefront(unsigned* sums, const unsigned* numbers, int n, unsigned zero)
{
    __shared__ unsigned partial[BLOCK * APART];
    int tid = threadIdx.x;
    int i = blockIdx.x * (NUMBERS * BLOCK) + tid;
    unsigned number = i < n ? numbers[i] : 0;
    if (NUMBERS == 2) number += i + BLOCK < n ? numbers[i + BLOCK] : 0;
    partial[tid * APART] = number;
    unsigned address = unsigned(__cvta_generic_to_shared(&partial[tid]));
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (change == Change::jump) {
            if (tid / 32 * 32 < s) {
                if (tid < s) partial[tid * APART] += partial[(tid + s) * APART];
                __syncwarp();
            }
        } else if (tid < s) {
            partial[tid * APART] += partial[(tid + s) * APART];
        }
        // The compiler does not know that `zero` is zero.
        if (change == Change::store_off)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.u32 [%1], %0; }" ::"r"(zero), "r"(address) : "memory");
        if (change == Change::multiplication_off)
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mul.lo.u32 %0, %0, %0; }" : "+r"(address) : "r"(zero));
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = partial[0];
}
// [/cost_of_a_wavefront]

constexpr int small_n = 1000, large_n = 1 << 27, multiprocessor_blocks = 8;

__global__ void fill(unsigned* numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) numbers[i] = i * 2654435761u;
}

// The milliseconds of the fastest of some launches, with `resident` blocks on a multiprocessor.
template <int NUMBERS, int APART, Change change>
float best_time(unsigned* sums, const unsigned* numbers, int n, int resident, int launches)
{
    auto kernel = cost_of_a_wavefront<NUMBERS, APART, change>;
    int unused_bytes = resident == multiprocessor_blocks ? 0 : (228 << 10) / resident - (1 << 10) - BLOCK * APART * int(sizeof(unsigned));
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    std::vector<float> times = milliseconds(launches, [&] {
        kernel<<<(n + NUMBERS * BLOCK - 1) / (NUMBERS * BLOCK), BLOCK, unused_bytes>>>(sums, numbers, n, 0);
    });
    return *std::min_element(times.begin(), times.end());
}

// Returns the number of wrong sums of blocks that add a few numbers. Prints the speed with many, unless the model runs the kernel:
// it has no time.
template <int NUMBERS, int APART, Change change = Change::none>
size_t measure(unsigned* sums, unsigned* numbers)
{
    fill<<<(small_n + 255) / 256, 256>>>(numbers, small_n);
    int blocks = (small_n + NUMBERS * BLOCK - 1) / (NUMBERS * BLOCK);
    std::vector<unsigned> input(small_n), output(blocks);
    cudaMemset(sums, 0xFF, blocks * sizeof(unsigned));
    bool has_time = !std::isnan(best_time<NUMBERS, APART, change>(sums, numbers, small_n, multiprocessor_blocks, 1));
    cudaMemcpy(input.data(), numbers, small_n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), sums, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int i = 0; i < small_n; ++i) output[i / (NUMBERS * BLOCK)] -= input[i];
    size_t wrong = std::count_if(output.begin(), output.end(), [](unsigned left) { return left != 0; });
    if (!has_time) return wrong;
    fill<<<large_n / 256, 256>>>(numbers, large_n);
    const char* changes[] = {"", "_store_off", "_multiplication_off", "_jump"};
    for (int resident : {4, multiprocessor_blocks}) {
        float ms = best_time<NUMBERS, APART, change>(sums, numbers, large_n, resident, 20);
        std::printf("figure numbers_%d_apart_%d%s_blocks_%d_gbps %.5g\n", NUMBERS, APART, changes[int(change)], resident,
            double(large_n) * sizeof(unsigned) / ms / 1e6);
    }
    return wrong;
}

int main()
{
    unsigned *numbers, *sums;
    cudaMalloc(&numbers, sizeof(unsigned) * large_n);
    cudaMalloc(&sums, sizeof(unsigned) * large_n / BLOCK);
    size_t wrong = measure<1, 1>(sums, numbers) + measure<1, 2>(sums, numbers) + measure<1, 4>(sums, numbers) +
                   measure<1, 8>(sums, numbers) + measure<1, 16>(sums, numbers) + measure<2, 1>(sums, numbers) +
                   measure<1, 1, Change::store_off>(sums, numbers) +
                   measure<1, 1, Change::multiplication_off>(sums, numbers) + measure<1, 1, Change::jump>(sums, numbers) +
                   measure<1, 4, Change::jump>(sums, numbers) + measure<2, 1, Change::jump>(sums, numbers);
    std::printf("%zu sums are wrong\n", wrong);
    return wrong != 0;
}
