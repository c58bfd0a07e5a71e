// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = int;
using Result = int;

struct Task : Data<Element, Result> {
    int width, height;

    __host__ __device__ int threads() const { return height; }
    __host__ __device__ int elements() const { return width * height; }
    __host__ __device__ int results() const { return width * height; }
    bool is_round() const { return width % 64 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, width, height);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        int least = read(i * width);
        for (int x = 1; x < width; ++x) least = read(i * width + x) < least ? read(i * width + x) : least;
        for (int x = 0; x < width; ++x) put(i * width + x, read(i * width + x) - least);
    }
};

void solve(const Task& task);

void subtract_minimum(int* output, const int* input, int width, int height)
{
    solve({{output, input}, width, height});
}
