// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "The rounds of a sum are its time": the warps of some sums look at the clock before their loads, when their number has arrived, when all
// numbers of their block have, and after the rounds. In one of the sums, each warp issues a store more in each round, with all lanes off.

#include "phases.cuh"
#include "sums.cuh"

enum class Rounds { divergent, strided, strided_whole_warps, sequential, sequential_store_off, whole_warps };

constexpr int many_numbers = 1 << 25;

// [turn_of_a_sum]
template <Rounds rounds, int NUMBERS, int THREADS>
__global__ void turn_of_a_sum(unsigned* sums, const unsigned* numbers, int n, Phases* phases, unsigned zero)
{
    __shared__ unsigned partial[THREADS + 1];  // No round changes the last word.
    int tid = threadIdx.x;
    if (tid == 0) partial[THREADS] = 0;
    int i = blockIdx.x * (NUMBERS * THREADS) + tid;

    long long begin = now();
    unsigned number = i < n ? numbers[i] : 0;
    if (NUMBERS == 2) number += i + THREADS < n ? numbers[i + THREADS] : 0;
    partial[tid] = number;
    long long first = now();
    __syncthreads();
    long long arrived = now_behind_barrier(partial[THREADS], ~0u);
    if (rounds == Rounds::divergent)
        for (int s = 1; s < THREADS; s *= 2) {
            if (tid % (2 * s) == 0) partial[tid] += partial[tid + s];
            __syncthreads();
        }
    if (rounds == Rounds::strided)
        for (int s = 1; s < THREADS; s *= 2) {
            int at = 2 * s * tid;
            if (at < THREADS) partial[at] += partial[at + s];
            __syncthreads();
        }
    if (rounds == Rounds::strided_whole_warps)
        for (int s = 1; s < THREADS; s *= 2) {
            int at = 2 * s * tid;
            if (2 * s * (tid / 32 * 32) < THREADS) {
                if (at < THREADS) partial[at] += partial[at + s];
                __syncwarp();
            }
            __syncthreads();
        }
    unsigned address = unsigned(__cvta_generic_to_shared(&partial[tid]));
    if (rounds == Rounds::sequential || rounds == Rounds::sequential_store_off)
        for (int s = THREADS / 2; s > 0; s /= 2) {
            if (tid < s) partial[tid] += partial[tid + s];
            // The compiler does not know that `zero` is zero. It would branch around two such stores.
            if (rounds == Rounds::sequential_store_off)
                asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.u32 [%1], %0; }" ::"r"(zero), "r"(address) : "memory");
            __syncthreads();
        }
    if (rounds == Rounds::whole_warps)
        for (int s = THREADS / 2; s > 0; s /= 2) {
            if (tid / 32 * 32 < s) {
                if (tid < s) partial[tid] += partial[tid + s];
                __syncwarp();
            }
            __syncthreads();
        }
    long long end = now();

    if (tid == 0) sums[blockIdx.x] = partial[0];
    if (blockIdx.x % SAMPLED == 0 && tid % 32 == 0)
        phases[(blockIdx.x / SAMPLED * THREADS + tid) / 32] = {begin, first, arrived, arrived, end, multiprocessor()};
}
// [/turn_of_a_sum]

// Returns the number of wrong sums of blocks. Prints the phases of the warps with 2048 threads on a multiprocessor, and with one block alone,
// unless the model runs the kernel: it has no time.
template <Rounds rounds, int NUMBERS, int THREADS = BLOCK>
size_t measure(unsigned* sums, unsigned* numbers, Phases* phases, const char* name)
{
    auto kernel = turn_of_a_sum<rounds, NUMBERS, THREADS>;
    int unused_bytes = 0;
    auto times = [&](int n, int launches) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
        return milliseconds(launches,
            [&] { kernel<<<blocks_of(n, NUMBERS * THREADS), THREADS, unused_bytes>>>(sums, numbers, n, phases, 0); });
    };
    Tried tried = try_few(sums, numbers, NUMBERS * THREADS, times);
    if (!tried.has_time) return tried.wrong;
    fill<<<blocks_of(many_numbers, THREADS), THREADS>>>(numbers, many_numbers);
    for (int blocks : {2048 / THREADS, 1}) {
        if (blocks == 1) unused_bytes = (226 << 10) - sizeof(unsigned) * THREADS;
        // The phases are those of the last launch, so that launch must not be slow.
        float ms = 0;
        for (std::vector<float> all; all.empty() || ms > 1.01f * all[all.size() / 2];) {
            all = times(many_numbers, 21);
            ms = all.back();
            std::sort(all.begin(), all.end());
        }
        std::string prefix = std::string(name) + "_numbers_" + std::to_string(NUMBERS) + "_blocks_" + std::to_string(blocks);
        std::printf("figure %s_gbps %.4g\n", prefix.c_str(), double(many_numbers) * sizeof(unsigned) / ms / 1e6);
        print_phases(prefix, phases, many_numbers / (NUMBERS * 32) / SAMPLED, blocks * THREADS / 32, ms);
    }
    return tried.wrong;
}

int main()
{
    unsigned *numbers, *sums;
    Phases* phases;
    cudaMalloc(&numbers, sizeof(unsigned) * many_numbers);
    cudaMalloc(&sums, sizeof(unsigned) * many_numbers / BLOCK);
    cudaMalloc(&phases, sizeof(Phases) * (many_numbers / 32 / SAMPLED));
    size_t wrong = measure<Rounds::divergent, 1>(sums, numbers, phases, "divergent") +
                   measure<Rounds::strided, 1>(sums, numbers, phases, "strided") +
                   measure<Rounds::strided_whole_warps, 1>(sums, numbers, phases, "strided_whole_warps") +
                   measure<Rounds::sequential, 1>(sums, numbers, phases, "sequential") +
                   measure<Rounds::whole_warps, 1>(sums, numbers, phases, "whole_warps") +
                   measure<Rounds::sequential, 2>(sums, numbers, phases, "sequential") +
                   measure<Rounds::whole_warps, 2>(sums, numbers, phases, "whole_warps") +
                   measure<Rounds::sequential_store_off, 1>(sums, numbers, phases, "sequential_store_off") +
                   measure<Rounds::sequential, 1, 1024>(sums, numbers, phases, "sequential_1024") +
                   measure<Rounds::whole_warps, 1, 1024>(sums, numbers, phases, "whole_warps_1024");
    std::printf("%zu sums are wrong\n", wrong);
    return wrong != 0;
}
