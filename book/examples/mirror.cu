// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Mirrors a 32 × 32 matrix at its diagonal. Right, and slow in one line.

#include <cstdio>
#include <vector>

constexpr int N = 32;

__global__ void mirror(const float* input, float* output)
{
    __shared__ float tile[N][N];

    int here = threadIdx.y * N + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = input[here];
    __syncthreads();
    output[here] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    std::vector<float> input(N * N), output(N * N);
    for (int i = 0; i < N * N; ++i) input[i] = i;

    float *device_input, *device_output;
    cudaMalloc(&device_input, sizeof(float) * N * N);
    cudaMalloc(&device_output, sizeof(float) * N * N);
    cudaMemcpy(device_input, input.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

    mirror<<<1, dim3(N, N)>>>(device_input, device_output);

    cudaMemcpy(output.data(), device_output, sizeof(float) * N * N, cudaMemcpyDeviceToHost);
    std::printf("row 0, column 1 is now %g\n", output[1]);
    cudaFree(device_input);
    cudaFree(device_output);
}
