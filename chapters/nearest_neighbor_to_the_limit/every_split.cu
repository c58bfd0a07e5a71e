// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Do nearest_split and nearest_large_tile find the neighbors whatever the length?
//
// The program's shape depends on the number of points. Each shape has to find what the reference
// finds around lengths where groups, tiles and query blocks end, among random, equal and distant
// points. Words and tickets are used again: equal points leave the greatest words, and after them
// distant points find nothing of their own if one stays.

#define main chapter_main
#include "nearest_neighbor_to_the_limit.cu"
#undef main

#include <algorithm>
#include <cstdio>

namespace {

using Fill = void (*)(std::span<float3>, std::uint64_t);

void equal_points(std::span<float3> points, std::uint64_t)
{
    std::ranges::fill(points, make_float3(0.5f, -0.25f, 1.0f));
}

/// On a line, each a little farther from the next, up to the greatest coordinates accepted.
void far_points(std::span<float3> points, std::uint64_t)
{
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] =
            make_float3(1e18f * static_cast<float>(i + 1) / static_cast<float>(points.size()), 0, 0);
}

/// Of each shape, in its order, lengths around those where its groups, tiles and query blocks end.
const std::vector<int> lengths[] = {{1, 2, 15, 16, 17, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257},
    {1, 2, 31, 32, 33, 129, 255, 256, 257, 511, 512, 513, 1025},
    {1, 2, 33, 1023, 1024, 1025, 1535, 1536, 1537},
    {1, 2, 63, 64, 65, 1023, 1024, 1025, 1535, 1536, 1537, 3073},
    {1, 2, 33, 1023, 1025, LARGE_TILE - 1, LARGE_TILE, LARGE_TILE + 1}};
static_assert(std::size(lengths) == std::size(shapes));

/// Words are there for MOST_SPLIT queries. More points go to the kernel that needs none.
static_assert(std::ranges::is_sorted(shapes, {}, &Shape::most_points));
static_assert(&shape_of(0) == shapes && &shape_of(shapes[0].most_points) == shapes &&
              &shape_of(shapes[0].most_points + 1) == shapes + 1);
static_assert(shape_of(MOST_SPLIT).most_points == MOST_SPLIT &&
              shape_of(MOST_SPLIT + 1).find == find_nearest<nearest_large_tile>);
static_assert(&shape_of(INT_MAX) == shapes + std::size(shapes) - 1);

bool finds_all(const Shape& shape, int n, Fill fill)
{
    const auto count = static_cast<std::size_t>(n);
    std::vector<float3> points(count);
    fill(points, static_cast<std::uint64_t>(n));
    DeviceBuffer<float3> input(count);
    DeviceBuffer<int> output(count);
    input.copy_from(points);
    std::vector<int> found(count);
    // A launch finds the words and the tickets as the one before it left them.
    for (int run = 0; run < 2; ++run) {
        output.poison();
        shape.find({output.data(), input.data(), n, nullptr});
        CUDA_CHECK(cudaGetLastError());
        output.copy_to(found);
        if (const std::string wrong = nearest_are_right({points, found, {}}); !wrong.empty()) {
            std::fprintf(stderr, "shape for at most %d points, %d points, run %d: %s\n", shape.most_points,
                n, run, wrong.c_str());
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
    for (std::size_t k = 0; k < std::size(shapes); ++k)
        for (const int n : lengths[k])
            for (const Fill fill : {Fill{random_points}, Fill{equal_points}, Fill{far_points}}) {
                passed &= finds_all(shapes[k], n, fill);
                ++trials;
            }
    std::printf("%d trials: %s\n", trials, passed ? "all right" : "FAILED");
    return passed ? 0 : 1;
}
