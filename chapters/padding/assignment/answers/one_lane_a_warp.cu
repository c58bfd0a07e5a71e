// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One lane after another, so that no two are ever in conflict.

__global__ void work(double* output, const double* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = i % height;
    output[i] = input[y * width + x];
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    work<<<width * height, 1>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
