// Wrong: each word that is read from shared memory serves one point of each lane.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int NEIGHBORS = 4;

__device__ float squared_distance(float3 a, float3 b)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return dx * dx + dy * dy + dz * dz;
}

struct Nearest {
    float distance[NEIGHBORS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int index[NEIGHBORS] = {-1, -1, -1, -1};
};

__device__ void look_at(Nearest& nearest, float distance, int j)
{
    int k = NEIGHBORS;
    while (k > 0 && distance < nearest.distance[k - 1]) {
        if (k < NEIGHBORS) {
            nearest.distance[k] = nearest.distance[k - 1];
            nearest.index[k] = nearest.index[k - 1];
        }
        --k;
    }
    if (k < NEIGHBORS) {
        nearest.distance[k] = distance;
        nearest.index[k] = j;
    }
}

__device__ int4 indices(const Nearest& nearest)
{
    return make_int4(nearest.index[0], nearest.index[1], nearest.index[2], nearest.index[3]);
}

__global__ void nearest_kernel(int4* neighbors, const float3* points, int n)
{
    __shared__ float3 tile[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    float3 mine = i < n ? points[i] : make_float3(0, 0, 0);
    Nearest nearest;

    for (int first = 0; first < n; first += BLOCK) {
        int count = min(BLOCK, n - first);
        if (tid < count)
            tile[tid] = points[first + tid];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < count; ++j)
            if (first + j != i)
                look_at(nearest, squared_distance(mine, tile[j]), first + j);
        __syncthreads();
    }
    if (i < n)
        neighbors[i] = indices(nearest);
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(reinterpret_cast<int4*>(neighbors), points, n);
}
