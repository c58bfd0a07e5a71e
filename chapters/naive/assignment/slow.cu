// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = float;
using Result = float;

struct Task : Data<Element, Result> {
    int width, height;

    __host__ __device__ int threads() const { return height; }
    __host__ __device__ int elements() const { return width * height; }
    __host__ __device__ int results() const { return height; }
    bool is_round() const { return width % 32 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, width, height);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        float sum = 0;
        for (int x = 0; x < width; ++x) sum += read(i * width + x);
        put(i, sum);
    }
};

void solve(const Task& task);

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    solve({{sums, matrix}, width, height});
}
