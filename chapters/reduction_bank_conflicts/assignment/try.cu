// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tries find_minimum on random numbers, twice: scripts/count try.cu -- 10000
// On a GPU: nvcc -std=c++20 try.cu -o try && ./try 10000

#include "find_minimum.cu"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
    if (argc > 2 || n < 1 || n > 1 << 28) {
        std::fprintf(stderr, "accepted: a number of numbers from 1 to 2^28\n");
        return 2;
    }
    const std::size_t bytes = sizeof(int) * n;
    int *device_numbers = nullptr, *device_minimum = nullptr;
    if (cudaMalloc(&device_numbers, bytes) != cudaSuccess || cudaMalloc(&device_minimum, 2 * sizeof(int)) != cudaSuccess) {
        std::fprintf(stderr, "no device memory for %zu bytes\n", bytes);
        return 1;
    }

    // There are few different numbers, so that the smallest one is there more than once.
    std::vector<int> numbers(n);
    std::mt19937 random(1);
    bool wrong = false;
    for (int call = 1; call <= 2; ++call) {
        for (int& number : numbers) number = static_cast<int>(random() % 1000) - 500;
        const auto smallest = std::min_element(numbers.begin(), numbers.end());
        const int place = static_cast<int>(smallest - numbers.begin());

        int minimum[2];
        cudaMemcpy(device_numbers, numbers.data(), bytes, cudaMemcpyHostToDevice);
        cudaMemset(device_minimum, 0xA5, sizeof minimum);
        find_minimum(device_minimum, device_numbers, n);
        const cudaError_t error = cudaDeviceSynchronize();
        cudaMemcpy(minimum, device_minimum, sizeof minimum, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            std::printf("call %d of %d numbers: %s\n", call, n, cudaGetErrorString(error));
            return 1;
        }
        std::printf("call %d of %d numbers: %d at place %d, the smallest is %d at place %d\n", call, n, minimum[0],
                    minimum[1], *smallest, place);
        wrong = wrong || minimum[0] != *smallest || minimum[1] != place;
    }
    cudaFree(device_numbers);
    cudaFree(device_minimum);
    return wrong;
}
