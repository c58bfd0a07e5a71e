// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = int;
using Result = int;

struct Task : Data<Element, Result> {
    int n;

    __host__ __device__ int threads() const { return 1; }
    __host__ __device__ int elements() const { return n; }
    __host__ __device__ int results() const { return 2; }
    bool is_round() const { return n % 1024 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, n);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        int least = read(0), place = 0;
        for (int k = 1; k < n; ++k) {
            if (read(k) < least) least = read(k), place = k;
        }
        put(0, least);
        put(1, place);
    }
};

void solve(const Task& task);

void find_minimum(int* minimum, const int* numbers, int n)
{
    solve({{minimum, numbers}, n});
}
