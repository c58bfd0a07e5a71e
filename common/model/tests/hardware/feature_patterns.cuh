// Address patterns of one warp, and the kinds of access that a probe runs them with.
//
// As in access_probe.cu each case is one launch, and a line on standard output names it: family, operation, bytes a lane,
// pattern, active lanes, and the bytes at which the lanes access. read_probe.py joins the lines with a profiler's counts.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

constexpr int LANES = 32;
constexpr int SHARED_BYTES = 32 * 1024;
/// Patterns of global memory reach so far.
constexpr unsigned long long GLOBAL_BYTES = 1ull << 32;

/// The place of each lane's access. An asynchronous copy reads at `offset` and writes at `to`.
struct Pattern {
    unsigned offset[LANES];
    unsigned active;
    unsigned to[LANES];
};

__device__ inline bool takes_part(const Pattern& pattern) { return pattern.active >> threadIdx.x & 1; }

inline void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "probe: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// A way to run patterns of `bytes` a lane. With two sides it takes a pattern for each.
struct Way {
    const char* family;
    const char* operation;
    int bytes;
    std::function<void(const Pattern&)> launch;
    bool has_two_sides = false;
};

/// A small reproducible generator; the quality of its numbers does not matter here.
class Random {
public:
    explicit Random(unsigned seed) : state_(seed * 2654435761u + 1) {}
    unsigned below(unsigned limit) {
        state_ = state_ * 1664525u + 1013904223u;
        return (state_ >> 16) % limit;
    }

private:
    unsigned state_;
};

using Element = std::function<unsigned(unsigned)>;

/// Runs all patterns in the ways that `wanted` names, as "family operation"; empty: in all.
class Prober {
public:
    Prober(const std::vector<Way>& ways, const std::string& wanted) : ways_(ways), wanted_(wanted) {}

    void run_all() {
        run_named();
        run_random();
        run_two_sides();
        run_scattered();
        check(cudaDeviceSynchronize());
    }

private:
    bool is_wanted(const Way& way) const { return wanted_.empty() || wanted_ == std::string(way.family) + " " + way.operation; }

    static void print(const unsigned (&offsets)[LANES], unsigned long long bytes) {
        for (const unsigned offset : offsets) std::printf(" %llu", offset % bytes);
    }

    void run(const std::string& name, unsigned active, const Element& element, const Element* to = nullptr,
             unsigned long long reach = SHARED_BYTES, const std::string& only = "") {
        for (const Way& way : ways_) {
            if (!is_wanted(way) || way.has_two_sides != (to != nullptr)) continue;
            if (reach > SHARED_BYTES && std::string(way.family) != "global_atomic") continue;
            if (!only.empty() && way.operation != only) continue;
            Pattern pattern{{}, active, {}};
            for (unsigned lane = 0; lane < LANES; ++lane) {
                pattern.offset[lane] = static_cast<unsigned>(1ull * element(lane) * way.bytes % reach);
                if (to) pattern.to[lane] = (*to)(lane)*way.bytes % SHARED_BYTES;
            }
            way.launch(pattern);
            std::printf("%s %s %d %s %08x", way.family, way.operation, way.bytes, name.c_str(), active);
            print(pattern.offset, std::string(way.family) == "local" ? 2048 : reach);
            if (to) print(pattern.to, SHARED_BYTES);
            std::printf("\n");
            check(cudaGetLastError());
        }
    }

    void run_named() {
        const Element contiguous = [](unsigned lane) { return lane; };
        run("contiguous", ~0u, contiguous);
        run("uniform", ~0u, [](unsigned) { return 0u; });
        run("pairs", ~0u, [](unsigned lane) { return lane / 2; });
        run("quads", ~0u, [](unsigned lane) { return lane / 4; });
        for (unsigned period : {4u, 8u, 16u}) run("period_" + std::to_string(period), ~0u, [=](unsigned lane) { return lane % period; });
        for (unsigned stride : {2u, 3u, 4u, 8u, 16u, 32u, 33u})
            run("stride_" + std::to_string(stride), ~0u, [=](unsigned lane) { return lane * stride; });
        run("reversed", ~0u, [](unsigned lane) { return 31 - lane; });
        run("two_rows", ~0u, [](unsigned lane) { return lane % 2 * 32; });
        for (unsigned active : {0x1u, 0x80000001u, 0x55555555u, 0x0000FFFFu}) {
            run("contiguous_masked", active, contiguous);
            run("stride_32_masked", active, [](unsigned lane) { return lane * 32; });
            run("uniform_masked", active, [](unsigned) { return 5u; });
        }
    }

    void run_random() {
        for (unsigned range : {4u, 16u, 64u, 256u})
            for (unsigned seed = 0; seed < 3; ++seed) {
                Random random(range + seed);
                unsigned element[LANES];
                for (unsigned& e : element) e = random.below(range);
                const unsigned active = seed < 2 ? ~0u : random.below(1u << 16) << 16 | random.below(1u << 16);
                run("random_below_" + std::to_string(range) + "_seed_" + std::to_string(seed), active,
                    [&](unsigned lane) { return element[lane]; });
            }
    }

    /// Some lines of 128 bytes compete for banks with others that are far away: lane 10 with lanes 13 and 21, where a bit of the line's number
    /// decides, and any lanes of lines by chance.
    void run_scattered() {
        for (unsigned bit = 0; bit < 24; ++bit)
            for (unsigned low = 0; low < 4; ++low) {
                const unsigned words = ((1u << bit) ^ low) * 32;
                unsigned element[LANES] = {};
                element[1] = 26, element[10] = words + 18, element[13] = 18, element[21] = 16;
                run(
                    "line_bit_" + std::to_string(bit) + "_low_" + std::to_string(low), 0x202402u,
                    [&](unsigned lane) { return element[lane]; }, nullptr, GLOBAL_BYTES, "add_without_result");
            }
        for (unsigned seed = 0; seed < 24; ++seed) {
            Random random(seed);
            const unsigned range = seed % 2 ? 512 : 2048;
            unsigned element[LANES];
            for (unsigned& e : element) e = seed % 3 ? random.below(range) : random.below(range) * 64 + random.below(8);
            run(
                "scattered_" + std::to_string(seed), seed % 4 ? ~0u : random.below(1u << 16) << 16 | random.below(1u << 16),
                [&](unsigned lane) { return element[lane]; }, nullptr, GLOBAL_BYTES);
        }
    }

    /// No two lanes write one element.
    void run_two_sides() {
        for (unsigned range : {8u, 32u, 64u, 256u})
            for (unsigned seed = 0; seed < 12; ++seed) {
                Random random(range + seed);
                unsigned from[LANES], order[2 * LANES];
                for (unsigned& e : from) e = random.below(range);
                for (unsigned i = 0; i < 2 * LANES; ++i) order[i] = i;
                for (unsigned i = 2 * LANES - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
                const unsigned active = seed < 8 ? ~0u : random.below(1u << 16) << 16 | random.below(1u << 16);
                const Element to = [&](unsigned lane) { return seed % 2 ? order[lane] : lane ^ seed % 8; };
                run(
                    "random_below_" + std::to_string(range) + "_seed_" + std::to_string(seed), active,
                    [&](unsigned lane) { return from[lane]; }, &to);
            }
        for (unsigned chunks : {2u, 4u, 8u})
            for (unsigned mask : {0u, 1u, 3u, 7u}) {
                const Element to = [=](unsigned lane) { return lane / chunks * 8 + (lane % chunks ^ (lane / chunks & mask)); };
                run(
                    "rows_of_" + std::to_string(chunks) + "_swizzled_" + std::to_string(mask), ~0u,
                    [=](unsigned lane) { return lane / chunks * 32 + lane % chunks; }, &to);
            }
    }

    const std::vector<Way>& ways_;
    std::string wanted_;
};
