// Wrong: asks for room for 65,536 × 65,536 distances whatever n is, and fills it.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

constexpr size_t MOST = 65536;

__global__ void nearest_kernel(int* neighbors, const float* distances, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < NEIGHBORS * n)
        neighbors[i] = (int)distances[i];
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    float* distances = nullptr;
    cudaMalloc(&distances, MOST * MOST * sizeof(float));
    cudaMemset(distances, 0, MOST * MOST * sizeof(float));
    nearest_kernel<<<(NEIGHBORS * n - 1) / BLOCK + 1, BLOCK>>>(neighbors, distances, n);
    cudaFree(distances);
}
