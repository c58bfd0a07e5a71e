// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A kernel takes memory of its own, which no call of the runtime shows.

__global__ void work(float* sums, const float* matrix, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    void* const scratch = malloc(sizeof(float));
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += matrix[i * width + x];
    sums[i] = *static_cast<float*>(scratch) = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    work<<<(height + 127) / 128, 128>>>(sums, matrix, width, height);
    cudaDeviceSynchronize();
}
