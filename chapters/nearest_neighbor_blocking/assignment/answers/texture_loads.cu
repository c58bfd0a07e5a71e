// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The data are read through a texture, which has no sectors.

__global__ void work(int* neighbors, cudaTextureObject_t texture, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float distance[4];
    int index[4] = {-1, -1, -1, -1};
    for (int j = 0; j < n; ++j) {
        const float dx = tex1Dfetch<float>(texture, 3 * j) - tex1Dfetch<float>(texture, 3 * i), dy = tex1Dfetch<float>(texture, 3 * j + 1) - tex1Dfetch<float>(texture, 3 * i + 1), dz = tex1Dfetch<float>(texture, 3 * j + 2) - tex1Dfetch<float>(texture, 3 * i + 2);
        float d = dx * dx + dy * dy + dz * dz;
        int candidate = j == i ? -1 : j;
        bool moves = false;
        for (int k = 0; k < 4 && candidate >= 0; ++k) {
            if (!moves && index[k] >= 0 && distance[k] <= d) continue;
            moves = true;
            const float other = distance[k];
            const int pushed = index[k];
            distance[k] = d, index[k] = candidate;
            d = other, candidate = pushed;
        }
    }
    for (int k = 0; k < 4; ++k) neighbors[4 * i + k] = index[k];
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(reinterpret_cast<const float*>(points));
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 3 * n * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    work<<<(n + 127) / 128, 128>>>(neighbors, texture, n);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
