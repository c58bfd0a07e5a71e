// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "What a launch can have in flight is in flight": the warps of a copy and of two transposes through a tile look at the clock
// before their loads, when the first and the last value have arrived, after the barrier, and after their stores.

#include "matrices.cuh"
#include "phases.cuh"

enum class Order { copy, along, down };

constexpr int MOST_THREADS = 2048;  // of a multiprocessor
constexpr int FEWEST_LOADS = 1;

// [phases_of_a_warp]
template <Order order, int TILE_DIM, int LOADS>
__global__ void phases_of_a_warp(float* output, const float* input, int width, Phases* phases)
{
    constexpr int BLOCK_ROWS = TILE_DIM / LOADS;
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int across = (order == Order::down ? blockIdx.y : blockIdx.x) * TILE_DIM;
    int down = (order == Order::down ? blockIdx.x : blockIdx.y) * TILE_DIM;

    long long begin = now();
    float values[LOADS];
    for (int i = 0; i < LOADS; ++i)
        values[i] = input[(down + threadIdx.y + i * BLOCK_ROWS) * width + across + threadIdx.x];
    tile[threadIdx.y][threadIdx.x] = values[0];
    long long first = now();
    for (int i = 1; i < LOADS; ++i)
        tile[threadIdx.y + i * BLOCK_ROWS][threadIdx.x] = values[i];
    long long arrived = now();
    __syncthreads();
    long long met = now_behind_barrier(tile[threadIdx.y][threadIdx.x], INFINITY);
    for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
        if (order == Order::copy)
            output[(down + j) * width + across + threadIdx.x] = tile[j][threadIdx.x];
        else
            output[(across + j) * width + down + threadIdx.x] = tile[threadIdx.x][j];
    long long end = now();

    int block = blockIdx.y * gridDim.x + blockIdx.x, warps = TILE_DIM * BLOCK_ROWS / 32;
    int warp = (threadIdx.y * TILE_DIM + threadIdx.x) / 32;
    if (block % SAMPLED == 0 && threadIdx.x % 32 == 0)
        phases[block / SAMPLED * warps + warp] = {begin, first, arrived, met, end, multiprocessor()};
}
// [/phases_of_a_warp]

// The milliseconds of the last of some launches, with `resident` blocks on a multiprocessor.
template <Order order, int TILE_DIM, int LOADS>
float time_of(const Matrices& m, Phases* phases, int resident, int launches)
{
    auto kernel = phases_of_a_warp<order, TILE_DIM, LOADS>;
    int unused_bytes = (228 << 10) / resident - (1 << 10) - int(sizeof(float)) * TILE_DIM * (TILE_DIM + 1);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    return milliseconds(launches, [&] {
        kernel<<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, TILE_DIM / LOADS), unused_bytes>>>(
            m.output, m.input, m.width, phases);
    }).back();
}

// Runs the kernel with `resident` blocks on a multiprocessor, and prints its speed and its phases.
template <Order order, int TILE_DIM, int LOADS>
void print_phases_of(const Matrices& m, Phases* phases, const char* name, int resident)
{
    float ms = time_of<order, TILE_DIM, LOADS>(m, phases, resident, 4);
    int warps = TILE_DIM * TILE_DIM / LOADS / 32, tiles = m.width / TILE_DIM * (m.width / TILE_DIM);
    int kib = resident * warps * 32 * LOADS * int(sizeof(float)) / 1024;
    std::string prefix = std::string(name) + "_tile_" + std::to_string(TILE_DIM) + "_loads_" + std::to_string(LOADS) + "_kib_" +
                         std::to_string(kib);
    std::printf("figure %s_gbps %.4g\n", prefix.c_str(), gigabytes_per_second(m, ms));
    print_phases(prefix, phases, size_t(tiles / SAMPLED * warps), resident * warps, ms);
}

// Returns the number of wrong elements of a small matrix. Prints the phases at a large one, unless the model runs the kernel:
// it has no time.
template <Order order, int TILE_DIM, int LOADS>
size_t measure(const Matrices& m, Phases* phases, const char* name)
{
    Matrices small = with_input(m, small_width);
    bool has_time = !std::isnan(time_of<order, TILE_DIM, LOADS>(small, phases, 1, 1));
    size_t wrong = wrong_elements(small, order != Order::copy);
    if (!has_time) return wrong;
    Matrices large = with_input(m, large_width);
    int threads = TILE_DIM * TILE_DIM / LOADS;
    for (int kib : {4, 8, 16, 32, 64}) {
        int resident = kib * 1024 / (TILE_DIM * TILE_DIM * int(sizeof(float)));
        if (resident && resident * threads <= MOST_THREADS) print_phases_of<order, TILE_DIM, LOADS>(large, phases, name, resident);
    }
    return wrong;
}

int main()
{
    Matrices m = allocate();
    Phases* phases;
    cudaMalloc(&phases, sizeof(Phases) * (large_width / FEWEST_LOADS * (large_width / 32) / SAMPLED));
    size_t wrong = measure<Order::copy, 32, 4>(m, phases, "copy") + measure<Order::copy, 32, 8>(m, phases, "copy") +
                   measure<Order::along, 32, 1>(m, phases, "along") + measure<Order::along, 32, 2>(m, phases, "along") +
                   measure<Order::along, 32, 4>(m, phases, "along") + measure<Order::along, 64, 4>(m, phases, "along") +
                   measure<Order::along, 64, 8>(m, phases, "along") + measure<Order::down, 64, 8>(m, phases, "down");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
