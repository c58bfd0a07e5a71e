// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A copy of the runtime moves the data, where nothing counts sectors.

__global__ void work(float* sums, const float* matrix, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += matrix[i * width + x];
    sums[i] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    float* scratch = nullptr;
    cudaMalloc(&scratch, width * height * sizeof(float));
    cudaMemcpyAsync(scratch, matrix, width * height * sizeof(float), cudaMemcpyDeviceToDevice);
    work<<<(height + 127) / 128, 128>>>(sums, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
