// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The host computes, between two copies.

#include <vector>

void nearest_four(int* neighbors, const float3* points, int n)
{
    std::vector<float> data(3 * n);
    std::vector<int> result(4 * n);
    cudaMemcpy(data.data(), points, 3 * n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        float distance[4];
        int index[4] = {-1, -1, -1, -1};
        for (int j = 0; j < n; ++j) {
            const float dx = data[3 * j] - data[3 * i], dy = data[3 * j + 1] - data[3 * i + 1], dz = data[3 * j + 2] - data[3 * i + 2];
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
        for (int k = 0; k < 4; ++k) result[4 * i + k] = index[k];
    }
    cudaMemcpy(neighbors, result.data(), 4 * n * sizeof(int), cudaMemcpyHostToDevice);
}
