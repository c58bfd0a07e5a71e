// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The host computes, between two copies.

#include <vector>

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    std::vector<unsigned char> data(count);
    std::vector<unsigned> result(256);
    cudaMemcpy(data.data(), values, count * sizeof(unsigned char), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; ++i) {
        result[data[i]] += 1u;
    }
    cudaMemcpy(bins, result.data(), 256 * sizeof(unsigned), cudaMemcpyHostToDevice);
}
