// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Reverses 64 numbers. On many a day the result is right.

#include <cstdio>
#include <vector>

constexpr int N = 64;

__global__ void reverse(int* data)
{
    __shared__ int tile[N];

    tile[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

int main()
{
    std::vector<int> data(N);
    for (int i = 0; i < N; ++i) data[i] = i * i;

    int* device;
    cudaMalloc(&device, sizeof(int) * N);
    cudaMemcpy(device, data.data(), sizeof(int) * N, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(device);
    cudaMemcpy(data.data(), device, sizeof(int) * N, cudaMemcpyDeviceToHost);
    cudaFree(device);
    std::printf("the first is %d\n", data[0]);
}
