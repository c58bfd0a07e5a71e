// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "What a launch can have in flight is in flight": the warps of a copy and of two transposes through a tile look at the clock
// before their loads, when the first and the last value have arrived, and after their stores.

#include "matrices.cuh"

#include <algorithm>
#include <cstdio>
#include <map>

enum class Order { copy, along, down };

struct Phases {
    long long begin, first, arrived, end;
    unsigned multiprocessor;
};

// Stays where it stands among loads and stores.
__device__ long long now()
{
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ unsigned multiprocessor()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

constexpr int SAMPLED = 16;  // one block of 16 writes down its times
constexpr int MOST_THREADS = 2048;  // of a multiprocessor
constexpr int FEWEST_LOADS = 4;

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
    for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
        if (order == Order::copy)
            output[(down + j) * width + across + threadIdx.x] = tile[j][threadIdx.x];
        else
            output[(across + j) * width + down + threadIdx.x] = tile[threadIdx.x][j];
    long long end = now();

    int block = blockIdx.y * gridDim.x + blockIdx.x, warps = TILE_DIM * BLOCK_ROWS / 32;
    int warp = (threadIdx.y * TILE_DIM + threadIdx.x) / 32;
    if (block % SAMPLED == 0 && threadIdx.x % 32 == 0)
        phases[block / SAMPLED * warps + warp] = {begin, first, arrived, end, multiprocessor()};
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

// Prints the share of each phase in the time of all places for warps, and how long the loads of a warp take.
template <Order order, int TILE_DIM, int LOADS>
void print_phases(const Matrices& m, Phases* phases, const char* name, int resident)
{
    float ms = time_of<order, TILE_DIM, LOADS>(m, phases, resident, 4);
    int warps = TILE_DIM * TILE_DIM / LOADS / 32, tiles = m.width / TILE_DIM * (m.width / TILE_DIM);
    std::vector<Phases> all(tiles / SAMPLED * warps);
    cudaMemcpy(all.data(), phases, all.size() * sizeof(Phases), cudaMemcpyDeviceToHost);

    struct Span {
        long long begin, end;
    };
    std::map<unsigned, Span> spans;
    double first = 0, loading = 0, after = 0, span = 0;
    for (const Phases& warp : all) {
        first += warp.first - warp.begin;
        loading += warp.arrived - warp.begin;
        after += warp.end - warp.arrived;
        auto [found, is_new] = spans.try_emplace(warp.multiprocessor, Span{warp.begin, warp.end});
        found->second = {std::min(found->second.begin, warp.begin), std::max(found->second.end, warp.end)};
    }
    for (const auto& [number, of_one] : spans) span += double(of_one.end - of_one.begin) / spans.size();
    double places = span * spans.size() * resident * warps / SAMPLED;
    int kib = resident * warps * 32 * LOADS * int(sizeof(float)) / 1024;
    auto print = [&](const char* what, double figure) {
        std::printf("figure %s_tile_%d_loads_%d_kib_%d_%s %.4g\n", name, TILE_DIM, LOADS, kib, what, figure);
    };
    print("gbps", gigabytes_per_second(m, ms));
    print("first_ns", first / all.size() / span * ms * 1e6);
    print("loading_ns", loading / all.size() / span * ms * 1e6);
    print("loading_percent", 100 * loading / places);
    print("after_loading_percent", 100 * after / places);
    // The blocks that are looked at miss the ends of the launch, up to a percent.
    print("empty_percent", std::max(0., 100 - 100 * (loading + after) / places));
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
    for (int kib : {8, 16, 32, 64}) {
        int resident = kib * 1024 / (TILE_DIM * TILE_DIM * int(sizeof(float)));
        if (resident && resident * threads <= MOST_THREADS) print_phases<order, TILE_DIM, LOADS>(large, phases, name, resident);
    }
    return wrong;
}

int main()
{
    Matrices m = allocate();
    Phases* phases;
    cudaMalloc(&phases, sizeof(Phases) * (large_width / FEWEST_LOADS * (large_width / 32) / SAMPLED));
    size_t wrong = measure<Order::copy, 32, 4>(m, phases, "copy") + measure<Order::copy, 32, 8>(m, phases, "copy") +
                   measure<Order::along, 32, 4>(m, phases, "along") + measure<Order::along, 64, 4>(m, phases, "along") +
                   measure<Order::along, 64, 8>(m, phases, "along") + measure<Order::down, 64, 8>(m, phases, "down");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
