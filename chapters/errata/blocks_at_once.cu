// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "The blocks of a multiprocessor take turns": each warp on some multiprocessors writes down when it makes its loads, when they have arrived,
// when its block has met, and when it ends. The program counts the warps that wait for loads at one moment, and compares them with places that
// do not know of each other.

#include "matrices.cuh"
#include "phases.cuh"

#include <algorithm>
#include <map>
#include <utility>

constexpr int TILE_DIM = 32, LOADS = 4, WARPS = TILE_DIM * TILE_DIM / LOADS / 32;  // the tile and the warps of a block
constexpr int APART = 16;  // one multiprocessor of 16 writes down its times

// The cycles of `begin` are those of the multiprocessor, and the others count from there. The nanoseconds are those of all multiprocessors.
struct alignas(32) Times {
    long long begin, nanoseconds;
    unsigned arrived, met, end, multiprocessor;
};

__device__ long long nanoseconds_now()
{
    long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
}

// [blocks_at_once]
__global__ void blocks_at_once(float* output, const float* input, int width, Times* times)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int across = blockIdx.x * TILE_DIM, down = blockIdx.y * TILE_DIM;

    long long begin = now();
    float values[LOADS];
    for (int i = 0; i < LOADS; ++i)
        values[i] = input[(down + threadIdx.y + i * TILE_DIM / LOADS) * width + across + threadIdx.x];
    for (int i = 0; i < LOADS; ++i)
        tile[threadIdx.y + i * TILE_DIM / LOADS][threadIdx.x] = values[i];
    long long arrived = now();
    __syncthreads();
    long long met = now_behind_barrier(tile[threadIdx.y][threadIdx.x], INFINITY);
    for (int j = threadIdx.y; j < TILE_DIM; j += TILE_DIM / LOADS)
        output[(across + j) * width + down + threadIdx.x] = tile[threadIdx.x][j];
    long long end = now();

    unsigned here = multiprocessor();
    if (here % APART == 0 && threadIdx.x == 0)
        times[(blockIdx.y * gridDim.x + blockIdx.x) * WARPS + threadIdx.y] = {
            begin, nanoseconds_now(), unsigned(arrived - begin), unsigned(met - begin), unsigned(end - begin), here};
}
// [/blocks_at_once]

// The milliseconds of a launch with `resident` blocks on a multiprocessor.
float time_of(const Matrices& m, Times* times, int resident)
{
    int unused_bytes = (228 << 10) / resident - (1 << 10) - int(sizeof(float)) * TILE_DIM * (TILE_DIM + 1);
    cudaFuncSetAttribute(blocks_at_once, cudaFuncAttributeMaxDynamicSharedMemorySize, unused_bytes);
    return milliseconds(1, [&] {
        blocks_at_once<<<dim3(m.width / TILE_DIM, m.width / TILE_DIM), dim3(TILE_DIM, TILE_DIM / LOADS), unused_bytes>>>(
            m.output, m.input, m.width, times);
    }).back();
}

// The average times of the warps of a block, in cycles, and the first and the last of them.
struct Block {
    double begin = 0, arrived = 0, met = 0, end = 0, first = INFINITY, last = 0;
    std::vector<std::pair<double, int>> changes;  // when a warp begins to wait for its loads, 1, and no longer does, −1
};

// The blocks of one multiprocessor, and its nanoseconds: those of its cycle 0, and of a cycle.
struct Multiprocessor {
    std::vector<Block> blocks;
    double zero = 0, cycle = 0;
};

std::map<unsigned, Multiprocessor> by_multiprocessor(const std::vector<Times>& times)
{
    std::map<unsigned, Multiprocessor> all;
    std::map<unsigned, std::vector<std::pair<double, double>>> readings;  // cycles and nanoseconds
    long long zero = 0;  // doubles have room for the nanoseconds since the first reading, and not for those since 1970
    for (const Times& t : times)
        if (t.nanoseconds && (zero == 0 || t.nanoseconds < zero)) zero = t.nanoseconds;
    for (size_t i = 0; i < times.size(); i += WARPS) {
        if (times[i].nanoseconds == 0) continue;
        Block block;
        for (size_t warp = i; warp < i + WARPS; ++warp) {
            const Times& t = times[warp];
            block.begin += double(t.begin) / WARPS;
            block.arrived += double(t.begin + t.arrived) / WARPS;
            block.met += double(t.begin + t.met) / WARPS;
            block.end += double(t.begin + t.end) / WARPS;
            block.first = std::min(block.first, double(t.begin));
            block.last = std::max(block.last, double(t.begin + t.end));
            block.changes.push_back({double(t.begin), 1});
            block.changes.push_back({double(t.begin + t.arrived), -1});
            readings[t.multiprocessor].push_back({double(t.begin + t.end), double(t.nanoseconds - zero)});
        }
        all[times[i].multiprocessor].blocks.push_back(block);
    }
    // The straight line through the readings: their clocks are those of all multiprocessors within some nanoseconds.
    for (auto& [number, found] : all) {
        double x = 0, y = 0, xx = 0, xy = 0, count = double(readings[number].size());
        double x0 = readings[number][0].first, y0 = readings[number][0].second;
        for (auto [cycles, nanoseconds] : readings[number]) {
            x += (cycles - x0) / count;
            y += (nanoseconds - y0) / count;
        }
        for (auto [cycles, nanoseconds] : readings[number]) {
            xx += (cycles - x0 - x) * (cycles - x0 - x);
            xy += (cycles - x0 - x) * (nanoseconds - y0 - y);
        }
        found.cycle = xy / xx;
        found.zero = y0 + y - (x0 + x) * found.cycle;
        std::sort(found.blocks.begin(), found.blocks.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
    }
    return all;
}

// For which share of the time from `begin` to `end` how many warps wait for their loads.
std::vector<double> shares(std::vector<std::pair<double, int>> changes, double begin, double end, int most)
{
    std::vector<double> shares(most + 1);
    std::sort(changes.begin(), changes.end());
    changes.push_back({end, 0});
    double before = begin;
    int waiting = 0;
    for (auto [when, change] : changes) {
        double until = std::min(std::max(when, begin), end);
        shares[std::min(std::max(waiting, 0), most)] += (until - before) / (end - begin);
        before = until;
        waiting += change;
    }
    return shares;
}

double mean(const std::vector<double>& shares)
{
    double sum = 0;
    for (size_t i = 0; i < shares.size(); ++i) sum += double(i) * shares[i];
    return sum;
}

double variance(const std::vector<double>& shares)
{
    double sum = 0, middle = mean(shares);
    for (size_t i = 0; i < shares.size(); ++i) sum += (double(i) - middle) * (double(i) - middle) * shares[i];
    return sum;
}

void print_quarters(const std::string& name, const std::vector<double>& shares)
{
    size_t most = shares.size() - 1;
    double quarters[4] = {};
    for (size_t i = 0; i < shares.size(); ++i) quarters[std::min(i * 4 / most, size_t(3))] += shares[i];
    for (int i = 0; i < 4; ++i) std::printf("figure %s_quarter_%d_percent %.4g\n", name.c_str(), i + 1, 100 * quarters[i]);
}

// The shares of `places` places that do not know of each other, each with those of `place`.
std::vector<double> independent(const std::vector<double>& place, int places)
{
    std::vector<double> together{1};
    for (int i = 0; i < places; ++i) {
        std::vector<double> more(together.size() + place.size() - 1);
        for (size_t waiting = 0; waiting < together.size(); ++waiting)
            for (size_t here = 0; here < place.size(); ++here) more[waiting + here] += together[waiting] * place[here];
        together = more;
    }
    return together;
}

// The part of a launch in which all multiprocessors are seen, without its first and last tenth, in nanoseconds.
std::pair<double, double> middle(const std::map<unsigned, Multiprocessor>& all)
{
    double begin = 0, end = INFINITY;
    for (const auto& [number, found] : all) {
        begin = std::max(begin, found.zero + found.blocks.front().first * found.cycle);
        end = std::min(end, found.zero + found.blocks.back().first * found.cycle);
    }
    double tenth = (end - begin) / 10;
    return {begin + tenth, end - tenth};
}

// Prints how many warps wait at one moment, in the middle four fifths of the launch.
void print_warps_at_once(const std::string& name, const std::map<unsigned, Multiprocessor>& all, int resident)
{
    int warps = resident * WARPS;
    auto [begin, end] = middle(all);
    std::vector<double> measured(warps + 1), apart(warps + 1);
    std::vector<std::pair<double, int>> of_all;
    double sum_of_variances = 0;
    for (const auto& [number, found] : all) {
        std::vector<std::pair<double, int>> changes;
        std::vector<double> of_place(WARPS + 1);  // the shares of a place: its blocks, and the rest of the time without one
        for (const Block& block : found.blocks) {
            double from = found.zero + block.first * found.cycle, to = found.zero + block.last * found.cycle;
            std::vector<std::pair<double, int>> of_block = block.changes;
            for (auto& [when, change] : of_block) when = found.zero + when * found.cycle;
            changes.insert(changes.end(), of_block.begin(), of_block.end());
            if (from < begin || to > end) continue;
            std::vector<double> part = shares(of_block, from, to, WARPS);
            for (int i = 1; i <= WARPS; ++i) of_place[i] += part[i] * (to - from) / (end - begin) / resident;
        }
        of_all.insert(of_all.end(), changes.begin(), changes.end());
        std::vector<double> here = shares(changes, begin, end, warps);
        sum_of_variances += variance(here);
        of_place[0] = 1;
        for (int i = 1; i <= WARPS; ++i) of_place[0] -= of_place[i];
        std::vector<double> together = independent(of_place, resident);
        for (int i = 0; i <= warps; ++i) {
            measured[i] += here[i] / double(all.size());
            apart[i] += together[i] / double(all.size());
        }
    }
    print_quarters(name, measured);
    print_quarters(name + "_independent", apart);
    std::printf("figure %s_warps %.4g\n", name.c_str(), mean(measured));
    std::printf("figure %s_deviation %.4g\n", name.c_str(), std::sqrt(variance(measured)));
    std::printf("figure %s_independent_deviation %.4g\n", name.c_str(), std::sqrt(variance(apart)));
    // More than 1: the multiprocessors wait at the same moments. 1: they do not know of each other.
    double of_sum = variance(shares(of_all, begin, end, warps * int(all.size())));
    std::printf("figure %s_between_multiprocessors %.4g\n", name.c_str(), std::sqrt(of_sum / sum_of_variances));
}

// Prints the blocks that one multiprocessor begins in three average turns in the middle of the launch, in nanoseconds from the first of them.
void print_some_blocks(const std::string& name, const Multiprocessor& found, int resident)
{
    const std::vector<Block>& blocks = found.blocks;
    size_t from = blocks.size() / 2;
    std::vector<double> free_at(resident);
    for (size_t i = 0; i < size_t(resident) * 3 && from + i < blocks.size(); ++i) {
        const Block& block = blocks[from + i];
        size_t place = i < size_t(resident) ? i : size_t(std::min_element(free_at.begin(), free_at.end()) - free_at.begin());
        free_at[place] = block.last;
        auto print = [&](const char* what, double cycles) {
            std::printf("figure %s_block_%zu_%s_ns %.4g\n", name.c_str(), i, what, (cycles - blocks[from].first) * found.cycle);
        };
        std::printf("figure %s_block_%zu_place %zu\n", name.c_str(), i, place);
        print("begin", block.begin);
        print("arrived", block.arrived);
        print("met", block.met);
        print("end", block.end);
    }
}

int main()
{
    Matrices m = allocate();
    Times* times;
    size_t count = size_t(large_width / TILE_DIM) * (large_width / TILE_DIM) * WARPS;
    cudaMalloc(&times, count * sizeof(Times));
    Matrices small = with_input(m, small_width);
    bool has_time = !std::isnan(time_of(small, times, 1));
    size_t wrong = wrong_elements(small, true);
    std::printf("%zu elements are wrong\n", wrong);
    if (!has_time) return wrong != 0;
    Matrices large = with_input(m, large_width);
    std::vector<Times> seen(count);
    for (int kib : {8, 16, 32}) {
        std::string name = "kib_" + std::to_string(kib);
        int resident = kib / 4;
        for (int launch = 0; launch < 3; ++launch) time_of(large, times, resident);
        cudaMemset(times, 0, count * sizeof(Times));
        std::printf("figure %s_gbps %.4g\n", name.c_str(), gigabytes_per_second(large, time_of(large, times, resident)));
        cudaMemcpy(seen.data(), times, count * sizeof(Times), cudaMemcpyDeviceToHost);
        std::map<unsigned, Multiprocessor> all = by_multiprocessor(seen);
        print_warps_at_once(name, all, resident);
        print_some_blocks(name, all.begin()->second, resident);
    }
    return wrong != 0;
}
