// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A full multiprocessor has enough in flight": two copies and two transposes with 4, 8 and 16 loads a thread, and with as many
// blocks resident as the shared memory that each asks for leaves room for.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum class Order { plain, copy, along, down };

// [bytes_in_flight]
template <Order order, int TILE_DIM, int LOADS>
__global__ void bytes_in_flight(float* output, const float* input, int width)
{
    constexpr int BLOCK_ROWS = TILE_DIM / LOADS;
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int across = (order == Order::down ? blockIdx.y : blockIdx.x) * TILE_DIM;
    int down = (order == Order::down ? blockIdx.x : blockIdx.y) * TILE_DIM;

    // All loads of a thread are in flight before the first is used.
    float values[LOADS];
    for (int i = 0; i < LOADS; ++i)
        values[i] = input[(down + threadIdx.y + i * BLOCK_ROWS) * width + across + threadIdx.x];
    if constexpr (order == Order::plain) {
        for (int i = 0; i < LOADS; ++i)
            output[(down + threadIdx.y + i * BLOCK_ROWS) * width + across + threadIdx.x] = values[i];
    } else {
        for (int i = 0; i < LOADS; ++i)
            tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];
        __syncthreads();
        for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
            if (order == Order::copy)
                output[(down + j) * width + across + threadIdx.x] = tile[j][threadIdx.x];
            else
                output[(across + j) * width + down + threadIdx.x] = tile[threadIdx.x][j];
    }
}
// [/bytes_in_flight]

__global__ void fill(float* input, size_t count)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) input[i] = float(i * 2654435761u % 1000003u);
}

constexpr int multiprocessor_threads = 2048, multiprocessor_shared = 228 << 10, reserved_shared = 1 << 10;

struct Matrices {
    float *output, *input;
    int width;
};

// The milliseconds of the fastest of some launches, with `resident` blocks on a multiprocessor.
template <Order order, int TILE_DIM, int LOADS>
float best_time(const Matrices& m, int resident, int launches)
{
    auto kernel = bytes_in_flight<order, TILE_DIM, LOADS>;
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, kernel);
    int static_bytes = int(attributes.sharedSizeBytes);
    int unused_bytes = multiprocessor_shared / resident - reserved_shared - static_bytes;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 0;
    for (int launch = 0; launch < launches; ++launch) {
        cudaEventRecord(begin);
        kernel<<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, TILE_DIM / LOADS), unused_bytes>>>(
            m.output, m.input, m.width);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        best = launch == 0 ? ms : std::min(best, ms);
    }
    return best;
}

// The number of elements of the output that are wrong.
template <Order order>
size_t wrong_elements(const Matrices& m)
{
    size_t count = size_t(m.width) * m.width, wrong = 0;
    std::vector<float> input(count), output(count);
    cudaMemcpy(input.data(), m.input, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(output.data(), m.output, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int y = 0; y < m.width; ++y)
        for (int x = 0; x < m.width; ++x)
            wrong += output[y * m.width + x] != (order <= Order::copy ? input[y * m.width + x] : input[x * m.width + y]);
    cudaMemset(m.output, 0xFF, count * sizeof(float));
    return wrong;
}

template <Order order, int TILE_DIM, int LOADS>
void print_speeds(const Matrices& m, const char* name)
{
    int threads = TILE_DIM * TILE_DIM / LOADS;
    for (int resident : {1, 2, 3, 4, 6, 8, 12, 16, 32}) {
        if (resident * threads > multiprocessor_threads) return;
        float ms = best_time<order, TILE_DIM, LOADS>(m, resident, 12);
        double bytes = 2. * sizeof(float) * m.width * m.width;
        int kibibytes_in_flight = resident * threads * LOADS * int(sizeof(float)) / 1024;
        std::printf("figure %s_tile_%d_loads_%d_kib_%d %.5g\n", name, TILE_DIM, LOADS, kibibytes_in_flight, bytes / ms / 1e6);
    }
}

// Prints the speeds of a kernel, unless the model runs it, which has no time. Returns the number of wrong elements.
template <Order order, int TILE_DIM, int LOADS>
size_t measure(const Matrices& small, const Matrices& large, const char* name)
{
    bool has_time = !std::isnan(best_time<order, TILE_DIM, LOADS>(small, 1, 1));
    size_t wrong = wrong_elements<order>(small);
    if (has_time) print_speeds<order, TILE_DIM, LOADS>(large, name);
    return wrong;
}

template <Order order>
size_t measure(const Matrices& small, const Matrices& large, const char* name)
{
    return measure<order, 32, 4>(small, large, name) + measure<order, 32, 8>(small, large, name) +
           measure<order, 64, 4>(small, large, name) + measure<order, 64, 8>(small, large, name) +
           measure<order, 64, 16>(small, large, name);
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
    bool has_time = !std::isnan(best_time<Order::plain, 32, 4>(small, 1, 1));
    if (has_time) fill<<<most_width * (most_width / 256), 256>>>(large.input, size_t(most_width) * most_width);

    size_t wrong = measure<Order::plain>(small, large, "plain") + measure<Order::copy>(small, large, "copy") + measure<Order::along>(small, large, "along") +
                   measure<Order::down>(small, large, "down");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
