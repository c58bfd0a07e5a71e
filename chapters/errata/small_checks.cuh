// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Shared by the programs that transpose a small matrix or add up a few numbers: the input, the launch, and the check.
#pragma once

#include <cstdio>
#include <cuda_runtime.h>

// Launches a transpose of `height` rows of `width` floats. Returns whether elements of the output are wrong.
template <class Launch>
bool transposes_wrongly(int width, int height, Launch launch)
{
    float *input, *output;
    cudaMallocManaged(&input, width * height * sizeof(float));
    cudaMallocManaged(&output, width * height * sizeof(float));
    for (int i = 0; i < width * height; ++i) {
        input[i] = static_cast<float>(i + 1);
        output[i] = -1;
    }
    launch(output, input);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int row = 0; row < width; ++row)
        for (int column = 0; column < height; ++column)
            wrong += output[row * height + column] != input[column * width + row];
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}

// Launches two blocks that each write a sum of `count` numbers. Returns whether both together are not the sum of all.
template <class Launch>
bool adds_wrongly(int count, Launch launch)
{
    int *input, *sums;
    cudaMallocManaged(&input, count * sizeof(int));
    cudaMallocManaged(&sums, 2 * sizeof(int));
    long wanted = 0;
    for (int i = 0; i < count; ++i) wanted += input[i] = i % 7 + 1;
    launch(sums, input);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2; ++i) sum += sums[i];
    std::printf("the sum is %ld, and should be %ld\n", sum, wanted);
    return sum != wanted;
}
