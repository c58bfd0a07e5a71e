// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

#include <cstddef>

__global__ void work(unsigned* bins, cudaTextureObject_t texture, int count, int first)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    atomicAdd(bins + tex1Dfetch<unsigned char>(texture, i + first), 1u);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    const int first = static_cast<int>(reinterpret_cast<std::size_t>(values) % 256);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<unsigned char*>(values - first);
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.linear.sizeInBytes = count * sizeof(unsigned char) + first;
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    work<<<(count + 127) / 128, 128>>>(bins, texture, count, first);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
