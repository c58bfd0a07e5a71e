// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = unsigned char;
using Result = unsigned;

struct Task : Data<Element, Result> {
    int count;

    __host__ __device__ int threads() const { return count; }
    __host__ __device__ int elements() const { return count; }
    __host__ __device__ int results() const { return 256; }
    bool is_round() const { return count % 4096 == 0; }
    void prepare() const { cudaMemset(output, 0, 256 * sizeof(unsigned)); }
    __device__ void store(int k, Result value) const { atomicAdd(output + k, value); }
    static void keep(Result* results, int k, Result value) { results[k] += value; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, count);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        put(read(i), 1);
    }
};

void solve(const Task& task);

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    solve({{bins, values}, count});
}
