// Right: three arrays of coordinates are filled by whole words, and each thread finds the neighbors of four points.

#include <cmath>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;
constexpr int TILE = 64;
// Each row begins eleven banks behind the row before, so 32 successive words go to the three rows without a conflict.
constexpr int PITCH = TILE + 11;
constexpr int POINTS = 4;
constexpr int NEIGHBORS = 4;

__global__ void nearest_kernel(int* neighbors, const float* coordinates, int n)
{
    __shared__ float tile[3][PITCH];
    int tid = threadIdx.x;

    float x[POINTS] = {}, y[POINTS] = {}, z[POINTS] = {};
    float distance[POINTS][NEIGHBORS];
    int index[POINTS][NEIGHBORS];
    for (int p = 0; p < POINTS; ++p) {
        int i = (blockIdx.x * POINTS + p) * BLOCK + tid;
        if (i < n) {
            x[p] = coordinates[3 * i];
            y[p] = coordinates[3 * i + 1];
            z[p] = coordinates[3 * i + 2];
        }
        for (int k = 0; k < NEIGHBORS; ++k) {
            distance[p][k] = INFINITY;
            index[p][k] = -1;
        }
    }

    for (int first = 0; first < n; first += TILE) {
        int count = min(TILE, n - first);
        for (int word = tid; word < 3 * count; word += BLOCK)
            tile[word % 3][word / 3] = coordinates[3 * first + word];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            float other_x = tile[0][j], other_y = tile[1][j], other_z = tile[2][j];
            for (int p = 0; p < POINTS; ++p) {
                int i = (blockIdx.x * POINTS + p) * BLOCK + tid;
                float dx = x[p] - other_x, dy = y[p] - other_y, dz = z[p] - other_z;
                float d = first + j == i ? INFINITY : dx * dx + dy * dy + dz * dz;
                int at = first + j;
                // Inserts the point, and moves each displaced point on.
                for (int k = 0; k < NEIGHBORS; ++k)
                    if (d < distance[p][k] || (d == distance[p][k] && d < INFINITY && at < index[p][k])) {
                        float further = distance[p][k];
                        int further_at = index[p][k];
                        distance[p][k] = d;
                        index[p][k] = at;
                        d = further;
                        at = further_at;
                    }
            }
        }
        __syncthreads();
    }
    for (int p = 0; p < POINTS; ++p) {
        int i = (blockIdx.x * POINTS + p) * BLOCK + tid;
        if (i < n)
            reinterpret_cast<int4*>(neighbors)[i] = make_int4(index[p][0], index[p][1], index[p][2], index[p][3]);
    }
}

void nearest_four(int* neighbors, const float3* points, int n)
{
    nearest_kernel<<<(n - 1) / (POINTS * BLOCK) + 1, BLOCK>>>(neighbors, reinterpret_cast<const float*>(points), n);
}
