// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Equal bytes in flight are equal speed": a copy whose threads have one load in flight each, and copy 1 to 64 elements before they end.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int BLOCK_WIDTH = 32, BLOCK_ROWS = 8, checked_width = 512;

// [one_after_another]
template <int ELEMENTS>
__global__ void one_after_another(float* output, const float* input, int width)
{
    int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x, y = blockIdx.y * BLOCK_ROWS * ELEMENTS + threadIdx.y;
    // The store might write what the next load reads, so the compiler keeps their order.
    for (int i = 0; i < ELEMENTS; ++i) output[(y + i * BLOCK_ROWS) * width + x] = input[(y + i * BLOCK_ROWS) * width + x];
}
// [/one_after_another]

template <int ELEMENTS>
float best_time(const Matrices& m, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        one_after_another<ELEMENTS><<<dim3(m.width / BLOCK_WIDTH, m.width / (BLOCK_ROWS * ELEMENTS)), dim3(BLOCK_WIDTH, BLOCK_ROWS)>>>(
            m.output, m.input, m.width);
    });
    return *std::min_element(times.begin(), times.end());
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <int ELEMENTS>
size_t measure(const Matrices& m)
{
    Matrices small = with_input(m, checked_width);
    bool has_time = !std::isnan(best_time<ELEMENTS>(small, 1));
    size_t wrong = wrong_elements(small, false);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width);
    std::printf("figure elements_%d_gbps %.5g\n", ELEMENTS, gigabytes_per_second(large, best_time<ELEMENTS>(large, 12)));
    return wrong;
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<1>(m) + measure<2>(m) + measure<4>(m) + measure<8>(m) + measure<16>(m) + measure<64>(m);
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
