// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Memory of the host that kernels reach, too.

__global__ void work(double* output, const double* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = i % height;
    output[i] = input[y * width + x];
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    double* scratch = nullptr;
    cudaHostAlloc(&scratch, width * height * sizeof(double), cudaHostAllocMapped);
    cudaMemcpy(scratch, input, width * height * sizeof(double), cudaMemcpyDefault);
    work<<<(width * height + 127) / 128, 128>>>(output, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFreeHost(scratch);
}
