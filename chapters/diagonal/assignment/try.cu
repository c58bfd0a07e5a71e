// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tries subtract_minimum on a random matrix: scripts/count try.cu --machine gt200 -- 512 240
// On a GPU: nvcc -std=c++20 try.cu -o try && ./try 512 240

#include "subtract_minimum.cu"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

int main(int argc, char** argv)
{
    const int width = argc > 1 ? std::atoi(argv[1]) : 512, height = argc > 2 ? std::atoi(argv[2]) : 240;
    if (argc > 3 || width < 1 || height < 1 || height > 65535 || static_cast<long long>(width) * height > 1 << 28) {
        std::fprintf(stderr, "accepted: a width and a height from 1, at most 2^28 numbers and 65535 rows\n");
        return 2;
    }
    const std::size_t count = static_cast<std::size_t>(width) * height, bytes = count * sizeof(int);
    std::vector<int> input(count), output(count);
    std::mt19937 random(1);
    for (int& number : input) number = static_cast<int>(random() % 2000001) - 1000000;

    int *device_input = nullptr, *device_output = nullptr;
    if (cudaMalloc(&device_input, bytes) != cudaSuccess || cudaMalloc(&device_output, bytes) != cudaSuccess) {
        std::fprintf(stderr, "no device memory for two matrices of %zu bytes\n", bytes);
        return 1;
    }
    cudaMemcpy(device_input, input.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(device_output, 0xA5, bytes);
    subtract_minimum(device_output, device_input, width, height);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_input);
    cudaFree(device_output);
    if (error != cudaSuccess) {
        std::printf("%d x %d: %s\n", width, height, cudaGetErrorString(error));
        return 1;
    }

    std::size_t wrong = 0;
    for (int row = 0; row < height; ++row) {
        const int* numbers = &input[static_cast<std::size_t>(row) * width];
        const int smallest = *std::min_element(numbers, numbers + width);
        for (int column = 0; column < width; ++column)
            wrong += output[static_cast<std::size_t>(row) * width + column] != numbers[column] - smallest;
    }
    std::printf("%d x %d: %zu of %zu numbers are wrong\n", width, height, wrong, count);
    return wrong != 0;
}
