// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tries transpose_doubles on one matrix: nvcc try.cu, or scripts/count try.cu where there is no GPU.
//
// The size may be given: a width and a height.

#include "transpose_doubles.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv)
{
    const int width = argc > 1 ? std::atoi(argv[1]) : 64;
    const int height = argc > 2 ? std::atoi(argv[2]) : 64;
    if (width < 1 || height < 1) {
        std::fprintf(stderr, "error: a width and a height of 1 or more are accepted\n");
        return 2;
    }
    const std::size_t count = static_cast<std::size_t>(width) * height;

    std::vector<double> values(count), transposed(count, -1.0);
    for (double& value : values) value = std::rand() % 1000;

    double *input = nullptr, *output = nullptr;
    cudaMalloc(&input, count * sizeof(double));
    cudaMalloc(&output, count * sizeof(double));
    cudaMemcpy(input, values.data(), count * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(output, transposed.data(), count * sizeof(double), cudaMemcpyHostToDevice);

    transpose_doubles(output, input, width, height);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(transposed.data(), output, count * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(input);
    cudaFree(output);
    if (error != cudaSuccess) {
        std::printf("failed: %s\n", cudaGetErrorString(error));
        return 1;
    }

    std::size_t wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            wrong += transposed[static_cast<std::size_t>(x) * height + y] != values[static_cast<std::size_t>(y) * width + x];
    std::printf("%d x %d: %zu of %zu elements are wrong\n", width, height, wrong, count);
    return wrong != 0;
}
