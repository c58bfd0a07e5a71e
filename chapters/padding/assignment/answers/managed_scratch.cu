// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Managed memory, where the host could compute unseen.

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
    cudaMallocManaged(&scratch, width * height * sizeof(double));
    cudaMemcpy(scratch, input, width * height * sizeof(double), cudaMemcpyDefault);
    work<<<(width * height + 127) / 128, 128>>>(output, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
