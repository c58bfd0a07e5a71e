// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Managed memory, where the host could compute unseen.

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
    cudaMallocManaged(&scratch, width * height * sizeof(float));
    cudaMemcpy(scratch, matrix, width * height * sizeof(float), cudaMemcpyDefault);
    work<<<(height + 127) / 128, 128>>>(sums, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
