// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "Each tile needs a barrier": a transpose of four tiles a block, with one barrier for all of them, with one for each, and with one
// for all and loads that wait for one another. A second launch of each, and of a transpose of one tile a block, looks at the clock.

#include "matrices.cuh"
#include "phases.cuh"

#include <algorithm>

constexpr int COLUMNS = 32, ROWS = 16, WARPS = COLUMNS * ROWS / 32, RESIDENT_WARPS = 64;

enum class Wait { none, at_barriers, for_values };

// [barrier_per_tile]
template <Wait wait, int TILES, bool reads_clock>
__global__ void transpose(float* output, const float* input, int width, Phases* phases)
{
    constexpr int PITCH = TILES * COLUMNS + 2;
    __shared__ float tiles[ROWS * PITCH];
    long long begin = reads_clock ? now() : 0;
    int x = blockIdx.x * TILES * COLUMNS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    int none = 0;
    for (int i = 0; i < TILES; ++i) {
        float value = x + i * COLUMNS < width ? input[y * width + x + i * COLUMNS + none] : 0;
        tiles[threadIdx.y * PITCH + threadIdx.x + i * COLUMNS] = value;
        // The next load cannot be issued before this one has arrived and all threads have stored.
        if (wait == Wait::at_barriers) __syncthreads();
        // No value is negative. The compiler does not know that, so the next address waits for this value.
        if (wait == Wait::for_values) none += value < 0;
    }
    long long arrived = reads_clock ? now() : 0;
    if (wait != Wait::at_barriers) __syncthreads();
    long long met = reads_clock ? now_behind_barrier(tiles[threadIdx.y * PITCH + threadIdx.x], INFINITY) : 0;
    int index = threadIdx.y * COLUMNS + threadIdx.x, row = index / ROWS, column = index % ROWS;
    x = blockIdx.y * ROWS + column, y = blockIdx.x * TILES * COLUMNS + row;
    for (int i = 0; i < TILES; ++i)
        if (y + i * COLUMNS < width) output[(y + i * COLUMNS) * width + x] = tiles[column * PITCH + row + i * COLUMNS];
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    if (reads_clock && block % SAMPLED == 0 && index % 32 == 0)
        phases[block / SAMPLED * WARPS + index / 32] = {begin, arrived, arrived, met, now(), multiprocessor()};
}
// [/barrier_per_tile]

// The milliseconds of some launches.
template <Wait wait, int TILES, bool reads_clock>
std::vector<float> times_of(const Matrices& m, int launches, Phases* phases)
{
    dim3 grid((m.width + TILES * COLUMNS - 1) / (TILES * COLUMNS), m.width / ROWS), block(COLUMNS, ROWS);
    auto kernel = transpose<wait, TILES, reads_clock>;
    return milliseconds(launches, [&] { kernel<<<grid, block>>>(m.output, m.input, m.width, phases); });
}

template <Wait wait, int TILES>
size_t measure(const Matrices& m, Phases* phases, const char* name)
{
    size_t wrong = check_and_time(m, name, small_width, true, [&](const Matrices& m, int launches) {
        auto times = times_of<wait, TILES, false>(m, launches, phases);
        return *std::min_element(times.begin(), times.end());
    });
    if (std::isnan(times_of<wait, TILES, true>(with_input(m, small_width), 1, phases)[0])) return wrong;
    float ms = times_of<wait, TILES, true>(with_input(m, large_width), 4, phases).back();
    print_phases(name, phases, size_t(large_width / COLUMNS / TILES) * (large_width / ROWS) / SAMPLED * WARPS, RESIDENT_WARPS, ms);
    return wrong;
}

int main()
{
    Matrices m = allocate();
    Phases* phases;
    cudaMalloc(&phases, sizeof(Phases) * (large_width / COLUMNS) * (large_width / ROWS) / SAMPLED * WARPS);
    size_t wrong = measure<Wait::none, 1>(m, phases, "one_tile") + measure<Wait::at_barriers, 4>(m, phases, "barrier_per_tile") +
                   measure<Wait::for_values, 4>(m, phases, "one_at_a_time") + measure<Wait::none, 4>(m, phases, "one_barrier");
    std::printf("%zu elements are wrong\n", wrong);
    return wrong != 0;
}
