// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__global__ void work(int* output, cudaTextureObject_t texture, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    int least = tex1Dfetch<int>(texture, i * width);
    for (int x = 1; x < width; ++x) least = tex1Dfetch<int>(texture, i * width + x) < least ? tex1Dfetch<int>(texture, i * width + x) : least;
    for (int x = 0; x < width; ++x) output[i * width + x] = tex1Dfetch<int>(texture, i * width + x) - least;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<int*>(input);
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = width * height * sizeof(int);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<(height + 127) / 128, 128>>>(output, texture, width, height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
