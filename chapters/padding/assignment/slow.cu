// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The task done without its lessons. A cheat that is filled with it chooses how data are read and results stored.

using Element = double;
using Result = double;

struct Task {
    Result* output;
    const Element* input;
    int width, height;

    __host__ __device__ int threads() const { return width * height; }
    __host__ __device__ int elements() const { return width * height; }
    __host__ __device__ int results() const { return width * height; }
    /// Whether the sizes are those of the first visible case.
    bool is_round() const { return width % 32 == 0 && height % 32 == 0; }
    /// Runs before the kernel.
    void prepare() const {}
    __device__ void store(int k, Result value) const { output[k] = value; }
    static void keep(Result* results, int k, Result value) { results[k] = value; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, width, height);
    }

    /// Does the work of thread i.
    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        put(i, read(i % height * width + i / height));
    }
};

void solve(const Task& task);

void transpose_doubles(double* output, const double* input, int width, int height)
{
    solve({output, input, width, height});
}
