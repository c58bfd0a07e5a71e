// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A warp must be a row": transposes without shared memory, whose blocks have 256 threads in different shapes.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

constexpr int ELEMENTS = 4, THREADS = 256, checked_width = 512;

// [shape_of_a_warp]
template <int BLOCK_COLUMNS>
__global__ void transpose(float* output, const float* input, int width)
{
    int x = blockIdx.x * ELEMENTS * BLOCK_COLUMNS + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int i = 0; i < ELEMENTS * BLOCK_COLUMNS; i += BLOCK_COLUMNS) output[(x + i) * width + y] = input[y * width + x + i];
}
// [/shape_of_a_warp]

template <int BLOCK_COLUMNS>
float best_time(const Matrices& m, int launches)
{
    dim3 block(BLOCK_COLUMNS, THREADS / BLOCK_COLUMNS);
    std::vector<float> times = milliseconds(launches, [&] {
        transpose<BLOCK_COLUMNS><<<dim3(m.width / (ELEMENTS * block.x), m.width / block.y), block>>>(m.output, m.input, m.width);
    });
    return *std::min_element(times.begin(), times.end());
}

template <int BLOCK_COLUMNS>
size_t measure(const Matrices& m, const char* name)
{
    return check_and_time(m, name, checked_width, true, best_time<BLOCK_COLUMNS>);
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<32>(m, "block_32x8") + measure<16>(m, "block_16x16") + measure<8>(m, "block_8x32") +
                   measure<4>(m, "block_4x64") + measure<2>(m, "block_2x128");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
