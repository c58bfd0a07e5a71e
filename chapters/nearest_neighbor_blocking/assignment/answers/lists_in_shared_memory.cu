// Wrong: the lists of neighboring lanes lie four words apart in shared memory, in a quarter of the banks.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

__device__ float squared_distance(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

__global__ void nearest_kernel(int4* neighbors, const float3* points, int n)
{
    __shared__ float3 tile[BLOCK];
    __shared__ float distance[BLOCK][NEIGHBORS];
    __shared__ int index[BLOCK][NEIGHBORS];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    float3 mine = i < n ? points[i] : make_float3(0, 0, 0);
    for (int k = 0; k < NEIGHBORS; ++k) {
        distance[tid][k] = INFINITY;
        index[tid][k] = -1;
    }

    for (int first = 0; first < n; first += BLOCK) {
        int count = min(BLOCK, n - first);
        if (tid < count)
            tile[tid] = points[first + tid];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            if (first + j == i)
                continue;
            float d = squared_distance(mine, tile[j]);
            int k = NEIGHBORS;
            for (; k > 0 && d < distance[tid][k - 1]; --k)
                if (k < NEIGHBORS) {
                    distance[tid][k] = distance[tid][k - 1];
                    index[tid][k] = index[tid][k - 1];
                }
            if (k < NEIGHBORS) {
                distance[tid][k] = d;
                index[tid][k] = first + j;
            }
        }
        __syncthreads();
    }
    if (i < n)
        neighbors[i] = make_int4(index[tid][0], index[tid][1], index[tid][2], index[tid][3]);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(reinterpret_cast<int4*>(neighbors), points, n);
}
