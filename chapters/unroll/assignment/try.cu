// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Runs histogram on random bytes and checks each bin:   scripts/count try.cu -- 65536 0
// The arguments are the number of bytes, and the offset of the first from a multiple of 16.
// On a GPU:                                             nvcc try.cu && ./a.out 65536 0

#include "histogram.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv)
{
    int count = argc > 1 ? std::atoi(argv[1]) : 65536;
    int offset = argc > 2 ? std::atoi(argv[2]) : 0;
    if (argc > 3 || count < 1 || count > 1 << 24 || offset < 0 || offset > 15) {
        std::fprintf(stderr, "usage: COUNT OFFSET, 1 to %d and 0 to 15\n", 1 << 24);
        return 2;
    }

    // Values are sums of two dice: some are frequent, some are rare.
    std::vector<unsigned char> values(offset + count);
    unsigned wanted[256] = {}, given[256];
    for (int i = 0; i < count; i++) {
        values[offset + i] = std::rand() % 128 + std::rand() % 129;
        wanted[values[offset + i]]++;
    }

    unsigned char* device_values;
    unsigned* device_bins;
    cudaMalloc(&device_values, values.size());
    cudaMalloc(&device_bins, sizeof given);
    cudaMemcpy(device_values, values.data(), values.size(), cudaMemcpyHostToDevice);
    cudaMemset(device_bins, 0xa5, sizeof given);
    histogram(device_bins, device_values + offset, count);
    cudaMemcpy(given, device_bins, sizeof given, cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError()) {
        std::printf("%d bytes: %s\n", count, cudaGetErrorString(error));
        return 1;
    }

    int wrong = 0;
    for (int value = 0; value < 256; value++)
        if (given[value] != wanted[value] && wrong++ == 0)
            std::printf("value %d: counted %u, should be %u\n", value, given[value], wanted[value]);
    std::printf("%d bytes: %d of 256 bins are wrong\n", count, wrong);
    cudaFree(device_values);
    cudaFree(device_bins);
    return wrong != 0;
}
