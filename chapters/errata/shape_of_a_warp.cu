// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A warp must be a row", and "a transpose needs shared memory": transposes without shared memory, whose blocks of 256 threads have
// different shapes, and whose threads load more and more at a time.

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

// Blocks of 4 x 64 threads. Each thread makes LOADS loads of FLOATS neighboring floats before it stores the first.
template <int FLOATS, int LOADS, bool NUMBERED_DOWN>
__global__ void transpose_loads_together(float* output, const float* input, int width)
{
    struct alignas(FLOATS * sizeof(float)) Neighbors {
        float values[FLOATS];
    };
    int column = NUMBERED_DOWN ? blockIdx.y : blockIdx.x, row = NUMBERED_DOWN ? blockIdx.x : blockIdx.y;
    int x = (column * LOADS * blockDim.x + threadIdx.x) * FLOATS, y = row * blockDim.y + threadIdx.y;
    Neighbors loaded[LOADS];
    for (int i = 0; i < LOADS; ++i)
        loaded[i] = *reinterpret_cast<const Neighbors*>(&input[y * width + x + i * 4 * FLOATS]);
    for (int i = 0; i < LOADS; ++i)
        for (int j = 0; j < FLOATS; ++j) output[(x + i * 4 * FLOATS + j) * width + y] = loaded[i].values[j];
}
// [/shape_of_a_warp]

template <class Launch>
float best_of(int launches, Launch launch)
{
    std::vector<float> times = milliseconds(launches, launch);
    return *std::min_element(times.begin(), times.end());
}

template <int BLOCK_COLUMNS>
size_t shape(const Matrices& m, const char* name)
{
    return check_and_time(m, name, checked_width, true, [](const Matrices& m, int launches) {
        dim3 block(BLOCK_COLUMNS, THREADS / BLOCK_COLUMNS), grid(m.width / (ELEMENTS * BLOCK_COLUMNS), m.width / block.y);
        return best_of(launches, [&] { transpose<BLOCK_COLUMNS><<<grid, block>>>(m.output, m.input, m.width); });
    });
}

template <int FLOATS, int LOADS, bool NUMBERED_DOWN>
size_t together(const Matrices& m, const char* name)
{
    return check_and_time(m, name, checked_width, true, [](const Matrices& m, int launches) {
        dim3 block(4, 64);
        int across = m.width / (FLOATS * LOADS * 4), down = m.width / 64;
        return best_of(launches, [&] {
            transpose_loads_together<FLOATS, LOADS, NUMBERED_DOWN>
                <<<NUMBERED_DOWN ? dim3(down, across) : dim3(across, down), block>>>(m.output, m.input, m.width);
        });
    });
}

int main()
{
    Matrices m = allocate();
    size_t wrong = shape<32>(m, "block_32x8") + shape<16>(m, "block_16x16") + shape<8>(m, "block_8x32") + shape<4>(m, "block_4x64") +
                   shape<2>(m, "block_2x128");
    wrong += together<1, 4, false>(m, "loads_4") + together<4, 1, false>(m, "floats_4") + together<4, 2, false>(m, "floats_4_loads_2") +
             together<4, 2, true>(m, "floats_4_loads_2_down");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
