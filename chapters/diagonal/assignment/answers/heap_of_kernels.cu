// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A kernel takes memory of its own, which no call of the runtime shows.

__global__ void work(int* output, const int* input, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    void* const scratch = malloc(sizeof(int));
    int least = input[i * width];
    for (int x = 1; x < width; ++x) least = input[i * width + x] < least ? input[i * width + x] : least;
    for (int x = 0; x < width; ++x) output[i * width + x] = *static_cast<int*>(scratch) = input[i * width + x] - least;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    work<<<(height + 127) / 128, 128>>>(output, input, width, height);
    cudaDeviceSynchronize();
}
