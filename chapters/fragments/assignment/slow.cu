// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

#include <cuda_fp16.h>

// Two halves.
using Element = unsigned;
using Result = float;

/// Returns half number k of the tiles from the pair that it lies in.
__host__ __device__ float half_of(unsigned both, int k)
{
    return __half2float(__ushort_as_half(static_cast<unsigned short>(both >> k % 2 * 16)));
}

struct Task : Data<Element, Result> {
    int pairs;

    __host__ __device__ int threads() const { return pairs * 64 * 64; }
    __host__ __device__ int elements() const { return pairs * 64 * 96; }
    __host__ __device__ int results() const { return pairs * 64 * 64; }
    bool is_round() const { return pairs % 4 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, reinterpret_cast<const uint4*>(input), pairs);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        const int a = i / 4096 * 2 * 64 * 96 + i / 64 % 64 * 96, b = i / 4096 * 2 * 64 * 96 + 64 * 96 + i % 64;
        float sum = 0;
        for (int k = 0; k < 96; k += 2) {
            const Element both = read((a + k) / 2);
            for (int half = 0; half < 2; ++half)
                sum += half_of(both, half) * half_of(read((b + (k + half) * 64) / 2), b);
        }
        put(i, sum);
    }
};

void solve(const Task& task);

void multiply_tiles(float* products, const uint4* tiles, int pairs)
{
    solve({{products, reinterpret_cast<const Element*>(tiles)}, pairs});
}
