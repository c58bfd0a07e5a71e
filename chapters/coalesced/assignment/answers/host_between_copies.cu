// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The host computes, between two copies.

#include <vector>

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    std::vector<unsigned> data(width * height);
    std::vector<unsigned> result(width * height);
    cudaMemcpy(data.data(), input, width * height * sizeof(unsigned), cudaMemcpyDeviceToHost);
    for (int i = 0; i < width * height; ++i) {
        const int x = i / height, y = height - 1 - i % height;
        result[i] = data[y * width + x];
    }
    cudaMemcpy(output, result.data(), width * height * sizeof(unsigned), cudaMemcpyHostToDevice);
}
