// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data lie in constant memory, which has no sectors.

constexpr int MOST = 65536 / sizeof(double);
__constant__ double table[MOST];

__global__ void work(double* output, const double* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = i % height;
    output[i] = (y * width + x < MOST ? table[y * width + x] : input[y * width + x]);
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    const int held = width * height < MOST ? width * height : MOST;
    cudaMemcpyToSymbol(table, input, held * sizeof(double), 0, cudaMemcpyDeviceToDevice);
    work<<<(width * height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
