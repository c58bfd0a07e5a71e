// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One kernel, timed by clock(): around the launch, and with the copy back. Neither is its time.

#include <cmath>
#include <cstdio>
#include <ctime>
#include <cuda_runtime.h>
#include <vector>

// [clock_around_launch]
__global__ void clock_around_launch(float* numbers)
{
    float x = numbers[threadIdx.x];
    for (int round = 0; round < 100000; ++round) x = x * 0.5f + 1;
    numbers[threadIdx.x] = x;
}

double ms_since(std::clock_t start) { return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

struct Times {
    double around_launch, with_copy;
};

Times clock_it(float* numbers, std::vector<float>& host)
{
    std::clock_t start = std::clock();
    clock_around_launch<<<1, 256>>>(numbers);
    double around_launch = ms_since(start);
    cudaMemcpy(host.data(), numbers, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    return {around_launch, ms_since(start)};
}
// [/clock_around_launch]

int main()
{
    std::vector<float> host(1 << 22, -1.0f);
    float* numbers;
    cudaMalloc(&numbers, host.size() * sizeof(float));
    cudaMemset(numbers, 0, host.size() * sizeof(float));
    clock_it(numbers, host);
    Times times = clock_it(numbers, host);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    clock_around_launch<<<1, 256>>>(numbers);
    cudaEventRecord(stop);
    cudaDeviceSynchronize();
    float kernel;
    cudaEventElapsedTime(&kernel, start, stop);
    if (std::isnan(kernel))
        std::puts("the model has no time");
    else
        std::printf("figure launch_ms %.6g\nfigure kernel_ms %.6g\nfigure with_copy_ms %.6g\n", times.around_launch, kernel, times.with_copy);

    // Halving and adding one ends at 2.
    int wrong = 0;
    for (std::size_t i = 0; i < host.size(); ++i) wrong += host[i] != (i < 256 ? 2.0f : 0.0f);
    std::printf("%d elements are wrong\n", wrong);
    return wrong != 0;
}
