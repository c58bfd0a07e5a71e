// Wrong: the neighbors are right, but the host finds them in a copy.

#include <algorithm>
#include <cuda_runtime.h>

constexpr int NEIGHBORS = 4;

void nearest_four(int* neighbors, const float3* points, int n)
{
    float3* copies = new float3[n];
    int* found = new int[NEIGHBORS * n];
    float* distances = new float[n];
    int* order = new int[n];
    cudaMemcpy(copies, points, n * sizeof(float3), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        int others = 0;
        for (int j = 0; j < n; ++j) {
            float dx = copies[i].x - copies[j].x, dy = copies[i].y - copies[j].y, dz = copies[i].z - copies[j].z;
            distances[j] = dx * dx + dy * dy + dz * dz;
            if (j != i)
                order[others++] = j;
        }
        int some = std::min(NEIGHBORS, others);
        std::partial_sort(order, order + some, order + others,
            [&](int a, int b) { return distances[a] < distances[b] || (distances[a] == distances[b] && a < b); });
        for (int k = 0; k < NEIGHBORS; ++k)
            found[NEIGHBORS * i + k] = k < some ? order[k] : -1;
    }
    cudaMemcpy(neighbors, found, NEIGHBORS * n * sizeof(int), cudaMemcpyHostToDevice);
    delete[] copies;
    delete[] found;
    delete[] distances;
    delete[] order;
}
