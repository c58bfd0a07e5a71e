// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A copy of the runtime moves the data, where nothing counts sectors.

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
    cudaMalloc(&scratch, width * height * sizeof(double));
    cudaMemcpyAsync(scratch, input, width * height * sizeof(double), cudaMemcpyDeviceToDevice);
    work<<<(width * height + 127) / 128, 128>>>(output, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
