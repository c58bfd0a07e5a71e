// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Shared memory that is not full costs no time": a sum whose words lie 1, 2, 4, 8 or 16 apart, with the same instructions and more
// wavefronts; and with an instruction more in each round that no lane executes.

#include "sums.cuh"

#include <cstdio>

// In each round a warp issues a store or a multiplication more, with all lanes switched off.
enum class Change { none, store_off, multiplication_off };

// [cost_of_a_wavefront]
template <int APART, Change change>
__global__ void cost_of_a_wavefront(unsigned* sums, const unsigned* numbers, int n, unsigned zero)
{
    __shared__ unsigned partial[BLOCK * APART];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    partial[tid * APART] = i < n ? numbers[i] : 0;
    unsigned address = unsigned(__cvta_generic_to_shared(&partial[tid]));
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s) partial[tid * APART] += partial[(tid + s) * APART];
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

constexpr int many_numbers = 1 << 27;

// Returns the number of wrong sums of blocks. Prints the speed, unless the model runs the kernel: it has no time.
template <int APART, Change change = Change::none>
size_t measure(unsigned* sums, unsigned* numbers)
{
    auto times = [&](int n, int launches) {
        return milliseconds(launches,
            [&] { cost_of_a_wavefront<APART, change><<<blocks_of(n, BLOCK), BLOCK>>>(sums, numbers, n, 0); });
    };
    Tried tried = try_few(sums, numbers, BLOCK, times);
    if (!tried.has_time) return tried.wrong;
    fill<<<blocks_of(many_numbers, BLOCK), BLOCK>>>(numbers, many_numbers);
    std::vector<float> all = times(many_numbers, 20);
    const char* changes[] = {"", "_store_off", "_multiplication_off"};
    std::printf("figure apart_%d%s_gbps %.5g\n", APART, changes[int(change)],
        double(many_numbers) * sizeof(unsigned) / *std::min_element(all.begin(), all.end()) / 1e6);
    return tried.wrong;
}

int main()
{
    unsigned *numbers, *sums;
    cudaMalloc(&numbers, sizeof(unsigned) * many_numbers);
    cudaMalloc(&sums, sizeof(unsigned) * many_numbers / BLOCK);
    size_t wrong = measure<1>(sums, numbers) + measure<2>(sums, numbers) + measure<4>(sums, numbers) + measure<8>(sums, numbers) +
                   measure<16>(sums, numbers) + measure<1, Change::store_off>(sums, numbers) +
                   measure<1, Change::multiplication_off>(sums, numbers);
    std::printf("%zu sums are wrong\n", wrong);
    return wrong != 0;
}
