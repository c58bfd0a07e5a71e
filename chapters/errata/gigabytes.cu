// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "GB/s" with 1024 to the third power: both figures from one time.

#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

// [gigabytes]
__global__ void gigabytes(float* output, const float* input)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    output[i] = input[i];
}

double printed_gbps(double bytes, double seconds) { return bytes / seconds / (1024.0 * 1024.0 * 1024.0); }
double gbps(double bytes, double seconds) { return bytes / seconds / 1e9; }
// [/gigabytes]

int main()
{
    constexpr int N = 1 << 20;
    float *input, *output;
    cudaMalloc(&input, N * sizeof(float));
    cudaMalloc(&output, N * sizeof(float));
    cudaMemset(input, 0, N * sizeof(float));

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    gigabytes<<<N / 256, 256>>>(output, input);
    cudaEventRecord(start);
    gigabytes<<<N / 256, 256>>>(output, input);
    cudaEventRecord(stop);
    cudaDeviceSynchronize();
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    if (std::isnan(ms))
        std::puts("the model has no time");
    else
        std::printf("figure printed_gbps %.6g\nfigure gbps %.6g\n", printed_gbps(8.0 * N, ms / 1e3), gbps(8.0 * N, ms / 1e3));

    double printed = printed_gbps(1e9, 1);
    std::printf("a billion bytes in a second are %.3f GB/s, and should be 1\n", printed);
    return printed != 1;
}
