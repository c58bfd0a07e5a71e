// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Shared memory that is not full costs no time": a sum whose words lie 1, 2, 4, 8 or 16 apart, with the same instructions and more
// wavefronts; with a store more in each round that no lane executes; with warps that jump over the round if they have no work; and with
// one number a thread or two, in four or eight blocks a multiprocessor.

#include "sums.cuh"

#include <cstdio>

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

constexpr int many_numbers = 1 << 27, multiprocessor_blocks = 8;

// Returns the number of wrong sums of blocks. Prints the speed with four and with eight blocks on a multiprocessor, unless the model
// runs the kernel: it has no time.
template <int NUMBERS, int APART, Change change = Change::none>
size_t measure(unsigned* sums, unsigned* numbers)
{
    auto kernel = cost_of_a_wavefront<NUMBERS, APART, change>;
    int unused_bytes = 0;
    auto times = [&](int n, int launches) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
        return milliseconds(launches,
            [&] { kernel<<<blocks_of(n, NUMBERS * BLOCK), BLOCK, unused_bytes>>>(sums, numbers, n, 0); });
    };
    Tried tried = try_few(sums, numbers, NUMBERS * BLOCK, times);
    if (!tried.has_time) return tried.wrong;
    fill<<<blocks_of(many_numbers, BLOCK), BLOCK>>>(numbers, many_numbers);
    const char* changes[] = {"", "_store_off", "_multiplication_off", "_jump"};
    for (int resident : {4, multiprocessor_blocks}) {
        unused_bytes = resident == multiprocessor_blocks ? 0 : (228 << 10) / resident - (1 << 10) - BLOCK * APART * int(sizeof(unsigned));
        std::vector<float> all = times(many_numbers, 20);
        std::printf("figure numbers_%d_apart_%d%s_blocks_%d_gbps %.5g\n", NUMBERS, APART, changes[int(change)], resident,
            double(many_numbers) * sizeof(unsigned) / *std::min_element(all.begin(), all.end()) / 1e6);
    }
    return tried.wrong;
}

int main()
{
    unsigned *numbers, *sums;
    cudaMalloc(&numbers, sizeof(unsigned) * many_numbers);
    cudaMalloc(&sums, sizeof(unsigned) * many_numbers / BLOCK);
    size_t wrong = measure<1, 1>(sums, numbers) + measure<1, 2>(sums, numbers) + measure<1, 4>(sums, numbers) +
                   measure<1, 8>(sums, numbers) + measure<1, 16>(sums, numbers) + measure<2, 1>(sums, numbers) +
                   measure<1, 1, Change::store_off>(sums, numbers) +
                   measure<1, 1, Change::multiplication_off>(sums, numbers) + measure<1, 1, Change::jump>(sums, numbers) +
                   measure<1, 4, Change::jump>(sums, numbers) + measure<2, 1, Change::jump>(sums, numbers);
    std::printf("%zu sums are wrong\n", wrong);
    return wrong != 0;
}
