// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Shared by the programs that time sums: numbers, and the check of a few of them.
#pragma once

#include "milliseconds.cuh"

#include <algorithm>

constexpr int BLOCK = 256, few_numbers = 1000;

__global__ void fill(unsigned* numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) numbers[i] = i * 2654435761u;
}

inline int blocks_of(int n, int numbers_of_block) { return (n + numbers_of_block - 1) / numbers_of_block; }

struct Tried {
    size_t wrong;  // sums of blocks
    bool has_time;  // The model has none.
};

// Lets `times` launch a kernel on a few numbers, and compares the sum of each block with the processor's.
template <class Times>
Tried try_few(unsigned* sums, unsigned* numbers, int numbers_of_block, Times times)
{
    fill<<<blocks_of(few_numbers, BLOCK), BLOCK>>>(numbers, few_numbers);
    std::vector<unsigned> input(few_numbers), output(blocks_of(few_numbers, numbers_of_block));
    cudaMemset(sums, 0xFF, output.size() * sizeof(unsigned));
    bool has_time = !std::isnan(times(few_numbers, 1).front());
    cudaMemcpy(input.data(), numbers, input.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), sums, output.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int i = 0; i < few_numbers; ++i) output[i / numbers_of_block] -= input[i];
    return {size_t(std::count_if(output.begin(), output.end(), [](unsigned left) { return left != 0; })), has_time};
}
