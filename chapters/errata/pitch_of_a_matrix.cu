// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Global memory has no banks": transposes without shared memory whose rows end with a few unused floats.

#include "milliseconds.cuh"

#include <algorithm>
#include <cstdio>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

// [pitch_of_a_matrix]
template <bool columns_read>
__global__ void transpose(float* output, const float* input, int pitch)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        int row = (y + j) * pitch + x, column = x * pitch + y + j;
        output[columns_read ? row : column] = input[columns_read ? column : row];
    }
}
// [/pitch_of_a_matrix]

constexpr int small_width = 96, large_width = 16384, most_unused = 32;

__global__ void fill(float* input, size_t count)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) input[i] = float(i * 2654435761u % 1000003u);
}

// The milliseconds of the fastest of some launches on a square matrix.
template <bool columns_read>
float best_time(float* output, const float* input, int width, int pitch, int launches)
{
    std::vector<float> times = milliseconds(launches, [&] {
        transpose<columns_read><<<dim3(width / TILE_DIM, width / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(output, input, pitch);
    });
    return *std::min_element(times.begin(), times.end());
}

// The number of elements of the output that are wrong. The output is overwritten, so that the next kernel cannot inherit it.
size_t wrong_elements(float* output, const float* input, int width, int pitch)
{
    size_t count = size_t(width) * pitch, wrong = 0;
    std::vector<float> from(count), to(count);
    cudaMemcpy(from.data(), input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(to.data(), output, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) wrong += to[y * pitch + x] != from[x * pitch + y];
    cudaMemset(output, 0xFF, count * sizeof(float));
    return wrong;
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <bool columns_read>
size_t measure(float* output, float* input, int unused)
{
    int small_pitch = small_width + unused, pitch = large_width + unused;
    fill<<<(small_width * small_pitch + 255) / 256, 256>>>(input, small_width * small_pitch);
    bool has_time = !std::isnan(best_time<columns_read>(output, input, small_width, small_pitch, 1));
    size_t wrong = wrong_elements(output, input, small_width, small_pitch);
    if (!has_time) return wrong;
    fill<<<unsigned(size_t(large_width) * pitch / 256), 256>>>(input, size_t(large_width) * pitch);
    float ms = best_time<columns_read>(output, input, large_width, pitch, 12);
    std::printf("figure columns_%s_unused_%d_gbps %.5g\n", columns_read ? "read" : "written", unused,
                2. * sizeof(float) * large_width * large_width / ms / 1e6);
    return wrong;
}

int main()
{
    float *output, *input;
    cudaMalloc(&output, sizeof(float) * large_width * (large_width + most_unused));
    cudaMalloc(&input, sizeof(float) * large_width * (large_width + most_unused));
    size_t wrong = 0;
    for (int unused : {0, 1, 2, 4, 8, 16, most_unused})
        wrong += measure<true>(output, input, unused) + measure<false>(output, input, unused);
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
