// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tries nearest_four on random points: scripts/count try.cu -- 512
// On a GPU: nvcc -std=c++20 try.cu -o try && ./try 512

#include "nearest_four.cu"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

// Returns the indices of all points but i, in order of distance, and of index where distances are equal.
std::vector<int> others_of(int i, const std::vector<float3>& points)
{
    std::vector<float> distances;
    for (const float3& other : points) {
        const float dx = points[i].x - other.x, dy = points[i].y - other.y, dz = points[i].z - other.z;
        distances.push_back(dx * dx + dy * dy + dz * dz);
    }
    std::vector<int> order(points.size());
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return distances[a] < distances[b]; });
    return order;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 512;
    if (argc > 2 || n < 1 || n > 4096) {
        std::fprintf(stderr, "accepted: a number of points from 1 to 4096\n");
        return 2;
    }

    // Coordinates are multiples of 1/256, so that all distances are exact. Some points are there twice.
    std::vector<float3> points(n);
    std::mt19937 random(1);
    const auto coordinate = [&] { return static_cast<float>(random() % 512) / 256 - 1; };
    for (int i = 0; i < n; ++i) {
        points[i].x = coordinate();
        points[i].y = coordinate();
        points[i].z = coordinate();
        if (i > 0 && random() % 16 == 0) points[i] = points[random() % i];
    }

    const std::size_t bytes = sizeof(float3) * n;
    std::vector<int> neighbors(4 * static_cast<std::size_t>(n));
    float3* device_points = nullptr;
    int* device_neighbors = nullptr;
    cudaMalloc(&device_points, bytes);
    cudaMalloc(&device_neighbors, neighbors.size() * sizeof(int));
    cudaMemcpy(device_points, points.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(device_neighbors, 0xA5, neighbors.size() * sizeof(int));
    nearest_four(device_neighbors, device_points, n);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(neighbors.data(), device_neighbors, neighbors.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device_points);
    cudaFree(device_neighbors);
    if (error != cudaSuccess) {
        std::printf("%d points: %s\n", n, cudaGetErrorString(error));
        return 1;
    }

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const std::vector<int> others = others_of(i, points);
        for (std::size_t k = 0; k < 4; ++k) wrong += neighbors[4 * i + k] != (k < others.size() ? others[k] : -1);
    }
    std::printf("%d points: %d of %d neighbors are wrong\n", n, wrong, 4 * n);
    return wrong != 0;
}
