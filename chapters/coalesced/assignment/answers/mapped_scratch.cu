// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Memory of the host that kernels reach, too.

__global__ void work(unsigned* output, const unsigned* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = height - 1 - i % height;
    output[i] = input[y * width + x];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    unsigned* scratch = nullptr;
    cudaHostAlloc(&scratch, width * height * sizeof(unsigned), cudaHostAllocMapped);
    cudaMemcpy(scratch, input, width * height * sizeof(unsigned), cudaMemcpyDefault);
    work<<<(width * height + 127) / 128, 128>>>(output, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFreeHost(scratch);
}
