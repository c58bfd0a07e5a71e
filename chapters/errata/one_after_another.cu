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

template <int ELEMENTS>
size_t measure(const Matrices& m, const char* name)
{
    return check_and_time(m, name, checked_width, false, best_time<ELEMENTS>);
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<1>(m, "elements_1") + measure<2>(m, "elements_2") + measure<4>(m, "elements_4") +
                   measure<8>(m, "elements_8") + measure<16>(m, "elements_16") + measure<64>(m, "elements_64");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
