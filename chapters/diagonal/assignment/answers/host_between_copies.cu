// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The host computes, between two copies.

#include <vector>

void subtract_minimum(int* output, const int* input, int width, int height)
{
    std::vector<int> data(width * height);
    std::vector<int> result(width * height);
    cudaMemcpy(data.data(), input, width * height * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < height; ++i) {
        int least = data[i * width];
        for (int x = 1; x < width; ++x) least = data[i * width + x] < least ? data[i * width + x] : least;
        for (int x = 0; x < width; ++x) result[i * width + x] = data[i * width + x] - least;
    }
    cudaMemcpy(output, result.data(), width * height * sizeof(int), cudaMemcpyHostToDevice);
}
