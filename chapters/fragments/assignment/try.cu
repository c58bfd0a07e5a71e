// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Tries multiply_tiles on some pairs: nvcc -arch=sm_90 try.cu, or scripts/count try.cu where there is no GPU.
//
// The number of pairs may be given.

#include "multiply_tiles.cu"

#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv)
{
    const int pairs = argc > 1 ? std::atoi(argv[1]) : 4;
    if (pairs < 1) {
        std::fprintf(stderr, "error: 1 pair or more is accepted\n");
        return 2;
    }
    const std::size_t elements = static_cast<std::size_t>(pairs) * 2 * DIM * DEPTH, results = static_cast<std::size_t>(pairs) * DIM * DIM;

    std::vector<float> values(elements), found(results, -1.0f);
    std::vector<__half> halves(elements);
    for (std::size_t i = 0; i < elements; ++i) halves[i] = __float2half(values[i] = static_cast<float>(std::rand() % 8 - 4));

    uint4* tiles = nullptr;
    float* products = nullptr;
    cudaMalloc(&tiles, elements * sizeof(__half));
    cudaMalloc(&products, results * sizeof(float));
    cudaMemcpy(tiles, halves.data(), elements * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(products, found.data(), results * sizeof(float), cudaMemcpyHostToDevice);

    multiply_tiles(products, tiles, pairs);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(found.data(), products, results * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(tiles);
    cudaFree(products);
    if (error != cudaSuccess) {
        std::printf("failed: %s\n", cudaGetErrorString(error));
        return 1;
    }

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < results; ++i) {
        const std::size_t pair = i / (DIM * DIM), row = i / DIM % DIM, column = i % DIM;
        const float* a = &values[pair * 2 * DIM * DEPTH + row * DEPTH];
        const float* b = &values[pair * 2 * DIM * DEPTH + DIM * DEPTH + column];
        float sum = 0;
        for (int k = 0; k < DEPTH; ++k) sum += a[k] * b[k * DIM];
        wrong += found[i] != sum;
    }
    std::printf("%d pairs: %zu of %zu elements are wrong\n", pairs, wrong, results);
    return wrong != 0;
}
