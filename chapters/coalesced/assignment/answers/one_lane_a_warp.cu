// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One lane after another, so that no two are ever in conflict.

__global__ void work(unsigned* output, const unsigned* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = height - 1 - i % height;
    output[i] = input[y * width + x];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    work<<<width * height, 1>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
