// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "The tile is faster because it loads four elements at once": a transpose that writes columns, one that reads columns, and one
// through a tile, each with one load of a thread in flight and with four.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, LOADS = TILE_DIM / BLOCK_ROWS;

enum class Way { columns_written, columns_read, tile };

// [tile_or_loads]
template <Way way, bool four_in_flight>
__global__ void transpose(float* output, const float* input, int width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    float values[LOADS];
    int none = 0;
    for (int i = 0; i < LOADS; ++i) {
        int row = y + i * BLOCK_ROWS + none;
        values[i] = way == Way::columns_read ? input[x * width + row] : input[row * width + x];
        // No value is negative. The compiler does not know that, so the next address waits for this value.
        if (!four_in_flight) none += values[i] < 0;
    }
    for (int i = 0; i < LOADS; ++i) {
        int row = y + i * BLOCK_ROWS;
        if (way == Way::columns_written) output[x * width + row] = values[i];
        if (way == Way::columns_read) output[row * width + x] = values[i];
        if (way == Way::tile) tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];
    }
    if (way != Way::tile) return;
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x, y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) output[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/tile_or_loads]

__global__ void fill(float* input, size_t count)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) input[i] = float(i * 2654435761u % 1000003u);
}

struct Matrices {
    float *output, *input;
    int width;
};

// The milliseconds of the fastest of some launches.
template <Way way, bool four_in_flight>
float best_time(const Matrices& m, int launches)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 0;
    for (int launch = 0; launch < launches; ++launch) {
        cudaEventRecord(begin);
        transpose<way, four_in_flight>
            <<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)>>>(m.output, m.input, m.width);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        best = launch == 0 ? ms : std::min(best, ms);
    }
    return best;
}

size_t wrong_elements(const Matrices& m)
{
    size_t count = size_t(m.width) * m.width, wrong = 0;
    std::vector<float> input(count), output(count);
    cudaMemcpy(input.data(), m.input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), m.output, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int y = 0; y < m.width; ++y)
        for (int x = 0; x < m.width; ++x) wrong += output[y * m.width + x] != input[x * m.width + y];
    cudaMemset(m.output, 0xFF, count * sizeof(float));
    return wrong;
}

// Prints the speed at a large size, unless the model runs the kernel, which has no time. Returns the number of wrong elements.
template <Way way, bool four_in_flight>
size_t measure(const Matrices& small, const Matrices& large, const char* name)
{
    bool has_time = !std::isnan(best_time<way, four_in_flight>(small, 1));
    size_t wrong = wrong_elements(small);
    double bytes = 2. * sizeof(float) * large.width * large.width;
    if (has_time)
        std::printf("figure %s_%s_gbps %.5g\n", name, four_in_flight ? "four" : "one",
            bytes / best_time<way, four_in_flight>(large, 12) / 1e6);
    return wrong;
}

int main()
{
    constexpr int most_width = 16384;
    Matrices small{nullptr, nullptr, 192}, large{nullptr, nullptr, most_width};
    cudaMalloc(&large.output, sizeof(float) * most_width * most_width);
    cudaMalloc(&large.input, sizeof(float) * most_width * most_width);
    small.output = large.output;
    small.input = large.input;
    fill<<<small.width * small.width / 256, 256>>>(small.input, small.width * small.width);
    // The model, whose launch takes no time, needs no more than what is checked.
    bool has_time = !std::isnan(best_time<Way::tile, true>(small, 1));
    if (has_time) fill<<<most_width * (most_width / 256), 256>>>(large.input, size_t(most_width) * most_width);

    size_t wrong = measure<Way::columns_written, false>(small, large, "columns_written") +
                   measure<Way::columns_written, true>(small, large, "columns_written") +
                   measure<Way::columns_read, false>(small, large, "columns_read") +
                   measure<Way::columns_read, true>(small, large, "columns_read") +
                   measure<Way::tile, false>(small, large, "tile") + measure<Way::tile, true>(small, large, "tile");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
