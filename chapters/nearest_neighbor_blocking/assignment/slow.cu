// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does the task without its lessons. A cheat filled with this file chooses how data are read and how results are stored.

using Element = float;
using Result = int;

struct Task : Data<Element, Result> {
    int n;

    __host__ __device__ int threads() const { return n; }
    __host__ __device__ int elements() const { return 3 * n; }
    __host__ __device__ int results() const { return 4 * n; }
    bool is_round() const { return n % 128 == 0; }
    template <class Function>
    void call(Function function) const
    {
        function(output, reinterpret_cast<const float3*>(input), n);
    }

    template <class Read, class Store>
    __host__ __device__ void work(int i, Read read, Store put) const
    {
        float distance[4];
        int index[4] = {-1, -1, -1, -1};
        for (int j = 0; j < n; ++j) {
            const float dx = read(3 * j) - read(3 * i), dy = read(3 * j + 1) - read(3 * i + 1), dz = read(3 * j + 2) - read(3 * i + 2);
            float d = dx * dx + dy * dy + dz * dz;
            int candidate = j == i ? -1 : j;
            bool moves = false;
            for (int k = 0; k < 4 && candidate >= 0; ++k) {
                if (!moves && index[k] >= 0 && distance[k] <= d) continue;
                moves = true;
                const float other = distance[k];
                const int pushed = index[k];
                distance[k] = d, index[k] = candidate;
                d = other, candidate = pushed;
            }
        }
        for (int k = 0; k < 4; ++k) put(4 * i + k, index[k]);
    }
};

void solve(const Task& task);

void nearest_four(int* neighbors, const float3* points, int n)
{
    solve({{neighbors, reinterpret_cast<const float*>(points)}, n});
}
