// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Managed memory, where the host could compute unseen.

__global__ void work(int* output, const int* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    int least = input[i * width];
    for (int x = 1; x < width; ++x) least = input[i * width + x] < least ? input[i * width + x] : least;
    for (int x = 0; x < width; ++x) output[i * width + x] = input[i * width + x] - least;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    int* scratch = nullptr;
    cudaMallocManaged(&scratch, width * height * sizeof(int));
    cudaMemcpy(scratch, input, width * height * sizeof(int), cudaMemcpyDefault);
    work<<<(height + 127) / 128, 128>>>(output, scratch, width, height);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
