// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The task done without any of its lessons, and by whatever way data are read and results stored: what cheats are made with.

using Element = unsigned;
using Result = unsigned;

struct Task {
    Result* output;
    const Element* input;
    int width, height;

    __host__ __device__ int threads() const { return width * height; }
    __host__ __device__ int elements() const { return width * height; }
    __host__ __device__ int results() const { return width * height; }
    /// Whether the sizes are such as a student sees first.
    bool is_round() const { return width % 32 == 0 && height % 32 == 0; }
    /// Before the kernel.
    void prepare() const {}
    __device__ void store(int k, Result value) const { output[k] = value; }
    static void keep(Result* results, int k, Result value) { results[k] = value; }
    template <class Function>
    void call(Function function) const
    {
        function(output, input, width, height);
    }

    /// What thread i does.
    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        put(i, read((height - 1 - i % height) * width + i / height));
    }
};

void solve(const Task& task);

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    solve({output, input, width, height});
}
