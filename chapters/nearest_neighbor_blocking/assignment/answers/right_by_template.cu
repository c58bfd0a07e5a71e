// Right: the number of points of a thread is a template parameter, the lists are classes, and insertion moves each displaced point on.

#include <cmath>
#include <cuda_runtime.h>

namespace {

template <int Most> class List {
public:
    __device__ __forceinline__ void offer(float distance, int index)
    {
        bool nearer = false;
#pragma unroll
        for (int k = 0; k < Most; ++k) {
            nearer = nearer || distance < distances_[k];
            const float far = nearer ? distances_[k] : distance;
            const int at = nearer ? indices_[k] : index;
            distances_[k] = nearer ? distance : distances_[k];
            indices_[k] = nearer ? index : indices_[k];
            distance = far, index = at;
        }
    }
    __device__ int4 indices() const { return {indices_[0], indices_[1], indices_[2], indices_[3]}; }

private:
    float distances_[Most] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int indices_[Most] = {-1, -1, -1, -1};
};

template <int Threads, int Points> __global__ void __launch_bounds__(Threads) search(int4* neighbors, const float3* points, int n)
{
    extern __shared__ float3 tile[];
    const auto mine = [](int p) -> int { return (blockIdx.x * Points + p) * Threads + threadIdx.x; };

    float3 own[Points];
    List<4> lists[Points];
#pragma unroll
    for (int p = 0; p < Points; ++p)
        own[p] = points[min(mine(p), n - 1)];

    for (int first = 0; first < n; first += Threads) {
        if (first + threadIdx.x < n)
            tile[threadIdx.x] = points[first + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int j = first; j < min(first + Threads, n); ++j) {
            const float3 other = tile[j - first];
#pragma unroll
            for (int p = 0; p < Points; ++p) {
                const float x = own[p].x - other.x, y = own[p].y - other.y, z = own[p].z - other.z;
                lists[p].offer(j == mine(p) ? INFINITY : x * x + y * y + z * z, j);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < Points; ++p)
        if (mine(p) < n)
            neighbors[mine(p)] = lists[p].indices();
}

}  // namespace

void nearest_four(int* neighbors, const float3* points, int n)
{
    constexpr int THREADS = 128, POINTS = 2;
    search<THREADS, POINTS><<<(n + THREADS * POINTS - 1) / (THREADS * POINTS), THREADS, THREADS * sizeof(float3)>>>(
        reinterpret_cast<int4*>(neighbors), points, n);
}
