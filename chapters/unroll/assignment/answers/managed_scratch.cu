// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Managed memory, where the host could compute unseen.

__global__ void work(unsigned* bins, const unsigned char* values, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    atomicAdd(bins + values[i], 1u);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    unsigned char* scratch = nullptr;
    cudaMallocManaged(&scratch, count * sizeof(unsigned char));
    cudaMemcpy(scratch, values, count * sizeof(unsigned char), cudaMemcpyDefault);
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    work<<<(count + 127) / 128, 128>>>(bins, scratch, count);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
