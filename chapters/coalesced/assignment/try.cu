// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Runs rotate on a small random image and checks each pixel:   scripts/count try.cu -- 96 64
// The arguments are the width and the height. On a GPU:        nvcc try.cu && ./a.out 96 64

#include "rotate.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv)
{
    int width = argc > 1 ? std::atoi(argv[1]) : 96;
    int height = argc > 2 ? std::atoi(argv[2]) : 64;
    if (argc > 3 || width < 1 || height < 1 || width > 4096 || height > 4096) {
        std::fprintf(stderr, "usage: WIDTH HEIGHT, each 1 to 4096\n");
        return 2;
    }

    std::vector<unsigned> input(width * height), output(width * height);
    for (unsigned& pixel : input)
        pixel = 65536u * (std::rand() % 65536) + std::rand() % 65536;

    std::size_t bytes = input.size() * sizeof(unsigned);
    unsigned *device_input, *device_output;
    cudaMalloc(&device_input, bytes);
    cudaMalloc(&device_output, bytes);
    cudaMemcpy(device_input, input.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(device_output, 0xa5, bytes);
    rotate(device_output, device_input, width, height);
    cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost);
    if (cudaError_t error = cudaGetLastError()) {
        std::printf("%d x %d: %s\n", width, height, cudaGetErrorString(error));
        return 1;
    }

    int wrong = 0;
    for (int row = 0; row < width; row++)
        for (int column = 0; column < height; column++) {
            unsigned given = output[row * height + column], wanted = input[(height - 1 - column) * width + row];
            if (given != wanted && wrong++ == 0)
                std::printf("row %d, column %d of the output: %08x, should be %08x\n", row, column, given, wanted);
        }
    std::printf("%d x %d: %d of %d pixels are wrong\n", width, height, wrong, width * height);
    cudaFree(device_input);
    cudaFree(device_output);
    return wrong != 0;
}
