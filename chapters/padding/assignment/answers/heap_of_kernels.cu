// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A kernel takes memory of its own, which no call of the runtime shows.

__global__ void work(double* output, const double* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    void* const scratch = malloc(sizeof(double));
    const int x = i / height, y = i % height;
    output[i] = *static_cast<double*>(scratch) = input[y * width + x];
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    work<<<(width * height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
