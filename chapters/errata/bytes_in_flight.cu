// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "A full multiprocessor has enough in flight": copies and transposes with 1, 4, 8 and 16 loads a thread, all in flight or one
// after another, and with as many blocks resident as the shared memory that each asks for leaves room for.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>

enum class Order { rounds, plain, copy, copy_down, along, down };

// [bytes_in_flight]
template <Order order, int TILE_DIM, int LOADS>
__global__ void bytes_in_flight(float* output, const float* input, int width)
{
    constexpr int BLOCK_ROWS = TILE_DIM / LOADS;
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    constexpr bool numbered_down = order == Order::down || order == Order::copy_down, copies = order < Order::along;
    int across = (numbered_down ? blockIdx.y : blockIdx.x) * TILE_DIM;
    int down = (numbered_down ? blockIdx.x : blockIdx.y) * TILE_DIM;

    if constexpr (order == Order::rounds) {
        // Each load waits for the store before it, which could write what it reads.
        for (int i = 0; i < LOADS; ++i) {
            int at = (down + threadIdx.y + i * BLOCK_ROWS) * width + across + threadIdx.x;
            output[at] = input[at];
        }
    } else {
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
                if (copies)
                    output[(down + j) * width + across + threadIdx.x] = tile[j][threadIdx.x];
                else
                    output[(across + j) * width + down + threadIdx.x] = tile[threadIdx.x][j];
        }
    }
}
// [/bytes_in_flight]

constexpr int multiprocessor_threads = 2048, multiprocessor_shared = 228 << 10, reserved_shared = 1 << 10;

// The bytes of shared memory that a block must have beside its own, so that no more than `resident` find room on a multiprocessor.
template <Order order, int TILE_DIM, int LOADS>
int unused_shared(int resident)
{
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, bytes_in_flight<order, TILE_DIM, LOADS>);
    return multiprocessor_shared / resident - reserved_shared - int(attributes.sharedSizeBytes);
}

// The milliseconds of the fastest of some launches.
template <Order order, int TILE_DIM, int LOADS>
float best_time(const Matrices& m, int unused_bytes, int launches)
{
    auto kernel = bytes_in_flight<order, TILE_DIM, LOADS>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    std::vector<float> times = milliseconds(launches, [&] {
        kernel<<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, TILE_DIM / LOADS), unused_bytes>>>(
            m.output, m.input, m.width);
    });
    return *std::min_element(times.begin(), times.end());
}

template <Order order, int TILE_DIM, int LOADS>
void print_speeds(const Matrices& m, const char* name)
{
    int threads = TILE_DIM * TILE_DIM / LOADS;
    for (int resident : {1, 2, 3, 4, 6, 8, 12, 16, 32}) {
        if (resident * threads > multiprocessor_threads) return;
        int loads_in_flight = order == Order::rounds ? 1 : LOADS;
        int kibibytes_in_flight = resident * threads * loads_in_flight * int(sizeof(float)) / 1024;
        auto print = [&](const char* how, int unused_bytes) {
            float ms = best_time<order, TILE_DIM, LOADS>(m, unused_bytes, 12);
            std::printf("figure %s_tile_%d_loads_%d_kib_%d%s %.5g\n", name, TILE_DIM, LOADS, kibibytes_in_flight, how,
                gigabytes_per_second(m, ms));
        };
        print("", unused_shared<order, TILE_DIM, LOADS>(resident));
        // As many blocks as the threads permit, without unused shared memory: more of it is left to the L1.
        if (resident * threads == multiprocessor_threads) print("_none_unused", 0);
    }
}

// Prints the speeds of a kernel, unless the model runs it, which has no time. Returns the number of wrong elements.
template <Order order, int TILE_DIM, int LOADS>
size_t measure(const Matrices& m, const char* name)
{
    Matrices small = with_input(m, small_width);
    bool has_time = !std::isnan(best_time<order, TILE_DIM, LOADS>(small, unused_shared<order, TILE_DIM, LOADS>(1), 1));
    size_t wrong = wrong_elements(small, order >= Order::along);
    if (has_time) print_speeds<order, TILE_DIM, LOADS>(with_input(m, large_width), name);
    return wrong;
}

template <Order order>
size_t measure(const Matrices& m, const char* name)
{
    return measure<order, 32, 1>(m, name) + measure<order, 32, 4>(m, name) + measure<order, 32, 8>(m, name) +
           measure<order, 64, 4>(m, name) + measure<order, 64, 8>(m, name) + measure<order, 64, 16>(m, name);
}

int main()
{
    Matrices m = allocate();
    size_t wrong = measure<Order::rounds, 32, 4>(m, "rounds") + measure<Order::rounds, 64, 16>(m, "rounds") +
                   measure<Order::plain>(m, "plain") + measure<Order::copy>(m, "copy") +
                   measure<Order::copy_down>(m, "copy_down") + measure<Order::along>(m, "along") +
                   measure<Order::down>(m, "down");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
