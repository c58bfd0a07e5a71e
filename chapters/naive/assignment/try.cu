// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Runs sum_rows on a small random matrix and checks the sums:   scripts/count try.cu -- 256 64
// The arguments are the width and the height. On a GPU:         nvcc try.cu && ./a.out 256 64

#include "sum_rows.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv)
{
    int width = argc > 1 ? std::atoi(argv[1]) : 256;
    int height = argc > 2 ? std::atoi(argv[2]) : 64;
    if (argc > 3 || width < 1 || height < 1 || width > 4096 || height > 4096) {
        std::fprintf(stderr, "usage: WIDTH HEIGHT, each 1 to 4096\n");
        return 2;
    }

    // Small whole numbers: their sums are exact, in whatever order they are added.
    std::vector<float> matrix(width * height), sums(height);
    for (float& element : matrix)
        element = std::rand() % 17 - 8;

    float *device_matrix, *device_sums;
    cudaMalloc(&device_matrix, matrix.size() * sizeof(float));
    cudaMalloc(&device_sums, sums.size() * sizeof(float));
    cudaMemcpy(device_matrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(device_sums, 0xff, sums.size() * sizeof(float));
    sum_rows(device_sums, device_matrix, width, height);
    cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError()) {
        std::printf("%d x %d: %s\n", width, height, cudaGetErrorString(error));
        return 1;
    }

    int wrong = 0;
    for (int y = 0; y < height; y++) {
        float sum = 0;
        for (int x = 0; x < width; x++)
            sum += matrix[y * width + x];
        if (!(sums[y] == sum) && wrong++ == 0)
            std::printf("row %d: the sum is %g, should be %g\n", y, sums[y], sum);
    }
    std::printf("%d x %d: %d of %d sums are wrong\n", width, height, wrong, height);
    cudaFree(device_matrix);
    cudaFree(device_sums);
    return wrong != 0;
}
