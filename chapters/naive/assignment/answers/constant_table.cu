// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data lie in constant memory, which has no sectors.

constexpr int MOST = 65536 / sizeof(float);
__constant__ float table[MOST];

__global__ void work(float* sums, const float* matrix, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += (i * width + x < MOST ? table[i * width + x] : matrix[i * width + x]);
    sums[i] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    const int held = width * height < MOST ? width * height : MOST;
    cudaMemcpyToSymbol(table, matrix, held * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    work<<<(height + 127) / 128, 128>>>(sums, matrix, width, height);
    cudaDeviceSynchronize();
}
