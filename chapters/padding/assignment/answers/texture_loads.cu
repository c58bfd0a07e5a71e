// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__device__ double fetched(cudaTextureObject_t texture, int i)
{
    const int2 halves = tex1Dfetch<int2>(texture, i);
    return __hiloint2double(halves.y, halves.x);
}

__global__ void work(double* output, cudaTextureObject_t texture, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i / height, y = i % height;
    output[i] = fetched(texture, y * width + x);
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<double*>(input);
    resource.res.linear.desc = cudaCreateChannelDesc<int2>();
    resource.res.linear.sizeInBytes = width * height * sizeof(double);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<(width * height + 127) / 128, 128>>>(output, texture, width, height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
