// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = unsigned;
using Result = unsigned;

struct Task : Data<Element, Result> {
    int width, height;

    __host__ __device__ int threads() const { return width * height; }
    __host__ __device__ int elements() const { return width * height; }
    __host__ __device__ int results() const { return width * height; }
    bool is_round() const { return width % 32 == 0 && height % 32 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, width, height);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        put(i, read((height - 1 - i % height) * width + i / height));
    }
};

void solve(const Task& task);

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    solve({{output, input}, width, height});
}
