// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__global__ void work(unsigned* output, cudaTextureObject_t texture, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = height - 1 - i % height;
    output[i] = tex1Dfetch<unsigned>(texture, y * width + x);
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<unsigned*>(input);
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = width * height * sizeof(unsigned);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<(width * height + 127) / 128, 128>>>(output, texture, width, height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
