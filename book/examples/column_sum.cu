// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Sums each column of a 32 × 32 tile. Right, and slow in one line.

#include <cstdio>
#include <vector>

constexpr int N = 32;

__global__ void column_sum(const float* input, float* sums)
{
    __shared__ float tile[N][N];

    for (int row = 0; row < N; ++row)
        tile[threadIdx.x][row] = input[row * N + threadIdx.x];

    float sum = 0;
    for (int row = 0; row < N; ++row)
        sum += tile[threadIdx.x][row];
    sums[threadIdx.x] = sum;
}

int main()
{
    std::vector<float> input(N * N), sums(N);
    for (int i = 0; i < N * N; ++i) input[i] = i % 7;

    float *device_input, *device_sums;
    cudaMalloc(&device_input, sizeof(float) * N * N);
    cudaMalloc(&device_sums, sizeof(float) * N);
    cudaMemcpy(device_input, input.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

    column_sum<<<1, N>>>(device_input, device_sums);

    cudaMemcpy(sums.data(), device_sums, sizeof(float) * N, cudaMemcpyDeviceToHost);
    std::printf("column 0 sums to %g\n", sums[0]);
    cudaFree(device_input);
    cudaFree(device_sums);
}
