// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// A host function in a stream computes.

struct Work {
    int* neighbors;
    const float3* points;
    int n;
};

void compute(void* given)
{
    const Work& work = *static_cast<const Work*>(given);
    const float* const data = reinterpret_cast<const float*>(work.points);
    int* const result = work.neighbors;
    const int n = work.n;
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
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    Work work{neighbors, points, n};
    cudaLaunchHostFunc(nullptr, compute, &work);
    cudaDeviceSynchronize();
}
