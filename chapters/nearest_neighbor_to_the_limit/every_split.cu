// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does nearest_split find the neighbors however the points are split?
//
// Its two shapes are for few points and for many. Here each has to find the same as the reference at lengths around those where
// tiles, parts and query blocks end, from one part to as many as there can be, among points that are random, equal, or far apart.

#define main chapter_main
#include "nearest_neighbor_to_the_limit.cu"
#undef main

#include <cstdio>

namespace {

using Fill = void (*)(std::span<float3>, std::uint64_t);

void equal_points(std::span<float3> points, std::uint64_t) { std::ranges::fill(points, make_float3(0.5f, -0.25f, 1.0f)); }

/// On a line, each a little farther from the next, up to the greatest coordinates that are accepted.
void far_points(std::span<float3> points, std::uint64_t)
{
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = make_float3(1e18f * static_cast<float>(i + 1) / static_cast<float>(points.size()), 0, 0);
}

struct Shape {
    const char* name;
    void (*find)(const Points&, int blocks);
    int lengths_around;
};

constexpr Shape shapes[] = {{"2 queries, 64 threads", find_split<2, 64, 32>, 128}, {"4 queries, 128 threads", find_split<4, 128, 64>, 512}, {"8 queries, 128 threads", find_split<8, 128, 64>, 1024}};

bool finds_all(const Shape& shape, int n, int blocks, Fill fill)
{
    const auto count = static_cast<std::size_t>(n);
    std::vector<float3> points(count);
    fill(points, static_cast<std::uint64_t>(n));
    DeviceBuffer<float3> input(count);
    DeviceBuffer<int> output(count), scratch(words_of_parts(count));
    input.copy_from(points);
    std::vector<int> found(count);
    // The second run finds what the first one left in the tickets.
    for (int run = 0; run < 2; ++run) {
        output.poison();
        scratch.poison();
        shape.find({output.data(), input.data(), n, scratch.data()}, blocks);
        CUDA_CHECK(cudaGetLastError());
        output.copy_to(found);
        if (const std::string wrong = nearest_are_right({points, found, {}}); !wrong.empty()) {
            std::fprintf(stderr, "%s, %d points, %d blocks a multiprocessor: %s\n", shape.name, n, blocks, wrong.c_str());
            return false;
        }
    }
    return true;
}

}  // namespace

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "every_split: there is no GPU to run on\n");
        return 77;
    }
    bool passed = true;
    int trials = 0;
    for (const Shape& shape : shapes)
        for (const int n : {1, 2, 33, 129, shape.lengths_around - 1, shape.lengths_around, shape.lengths_around + 1})
            for (const int blocks : {0, 40})
                for (const Fill fill : {Fill{random_points}, Fill{equal_points}, Fill{far_points}}) {
                    passed &= finds_all(shape, n, blocks, fill);
                    ++trials;
                }
    std::printf("%d trials: %s\n", trials, passed ? "all right" : "FAILED");
    return passed ? 0 : 1;
}
