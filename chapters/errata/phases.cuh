// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The readings of the multiprocessor's clock by the warps of a kernel, and the share of each phase in a turn: from the beginning of a warp
// to that of the next one in its place.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

struct Phases {
    long long begin, first, arrived, met, end;
    unsigned multiprocessor;
};

constexpr int SAMPLED = 16;  // one block of 16 writes down its times

// Stays where it stands among loads and stores.
__device__ long long now()
{
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

// The clock when `loaded` is there. A warp goes on behind a barrier before the others have come, until it needs something: so let it need
// a number that it loads behind the barrier. No number of these programs is `absent`.
template <class Number>
__device__ long long now_behind_barrier(Number loaded, Number absent)
{
    if (loaded == absent) asm volatile("trap;");
    return now();
}

__device__ unsigned multiprocessor()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

// Prints how long the loads of a warp take, and the share of each phase in the turns. `phases` are those of `count` warps, one block of SAMPLED, in a launch of `ms`
// milliseconds with `resident` warps on a multiprocessor.
inline void print_phases(const std::string& name, const Phases* phases, size_t count, int resident, float ms)
{
    std::vector<Phases> all(count);
    cudaMemcpy(all.data(), phases, count * sizeof(Phases), cudaMemcpyDeviceToHost);
    struct Span {
        long long begin, end;
    };
    std::vector<Span> of_multiprocessor;
    double first = 0, loading = 0, barrier = 0, after = 0, span = 0;
    for (const Phases& warp : all) {
        first += warp.first - warp.begin;
        loading += warp.arrived - warp.begin;
        barrier += warp.met - warp.arrived;
        after += warp.end - warp.arrived;
        if (warp.multiprocessor >= of_multiprocessor.size()) of_multiprocessor.resize(warp.multiprocessor + 1);
        Span& seen = of_multiprocessor[warp.multiprocessor];
        if (seen.end == 0 || warp.begin < seen.begin) seen.begin = warp.begin;
        if (warp.end > seen.end) seen.end = warp.end;
    }
    int multiprocessors = 0;
    for (const Span& seen : of_multiprocessor) {
        multiprocessors += seen.end != 0;
        span += seen.end - seen.begin;
    }
    span /= multiprocessors;
    double places = span * multiprocessors * resident / SAMPLED;
    auto print = [&](const char* what, double figure) { std::printf("figure %s_%s %.4g\n", name.c_str(), what, figure); };
    print("first_ns", first / count / span * ms * 1e6);
    print("loading_ns", loading / count / span * ms * 1e6);
    print("loading_percent", 100 * loading / places);
    print("after_loading_percent", 100 * after / places);
    if (barrier > 0) print("barrier_percent", 100 * barrier / places);
    // The blocks that are looked at miss the ends of the launch, up to a percent.
    double busy = 100 * (loading + after) / places;
    print("empty_percent", busy < 100 ? 100 - busy : 0);
}
