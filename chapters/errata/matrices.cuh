// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Shared by the programs that time copies and transposes: two matrices of floats, their contents, and the check.
#pragma once

#include "milliseconds.cuh"

#include <cstdio>

constexpr int small_width = 192, large_width = 16384;

struct Matrices {
    float *output, *input;
    int width, pitch;
};

__global__ void fill(float* input, size_t count)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) input[i] = float(i * 2654435761u % 1000003u);
}

// Square matrices of `width` at the beginning of the memory of others, whose rows end with `unused` floats, and their input.
inline Matrices with_input(Matrices m, int width, int unused = 0)
{
    m.width = width;
    m.pitch = width + unused;
    size_t count = size_t(width) * m.pitch;
    fill<<<unsigned((count + 255) / 256), 256>>>(m.input, count);
    return m;
}

// Memory for the large matrices.
inline Matrices allocate(int unused = 0)
{
    Matrices m{};
    cudaMalloc(&m.output, sizeof(float) * large_width * (large_width + unused));
    cudaMalloc(&m.input, sizeof(float) * large_width * (large_width + unused));
    return m;
}

inline double gigabytes_per_second(const Matrices& m, float ms) { return 2. * sizeof(float) * m.width * m.width / ms / 1e6; }

// The number of elements of the output that are wrong. The output is overwritten, so that the next kernel cannot inherit it.
inline size_t wrong_elements(const Matrices& m, bool transposed)
{
    size_t count = size_t(m.width) * m.pitch, wrong = 0;
    std::vector<float> input(count), output(count);
    cudaMemcpy(input.data(), m.input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), m.output, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int y = 0; y < m.width; ++y)
        for (int x = 0; x < m.width; ++x)
            wrong += output[y * m.pitch + x] != (transposed ? input[x * m.pitch + y] : input[y * m.pitch + x]);
    cudaMemset(m.output, 0xFF, count * sizeof(float));
    return wrong;
}

// Checks a kernel on small matrices and prints its speed on large ones, unless the model runs it, which has no time. `best_time` runs
// it and returns the milliseconds of the fastest of some launches. Returns the number of wrong elements.
template <class BestTime>
size_t check_and_time(const Matrices& m, const char* name, int width, bool transposed, BestTime best_time)
{
    Matrices small = with_input(m, width);
    bool has_time = !std::isnan(best_time(small, 1));
    size_t wrong = wrong_elements(small, transposed);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width);
    std::printf("figure %s_gbps %.5g\n", name, gigabytes_per_second(large, best_time(large, 12)));
    return wrong;
}
