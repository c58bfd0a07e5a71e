// Right: a tile has 64 columns and 32 rows, and a row of threads is two warps.

#include <cuda_runtime.h>
__host__ __device__ inline int border(long long count, int rank, int ranks) { return int(count * rank / ranks); }

__global__ void pack_turned(float* send, const float* input, int rank, int ranks, int width, int rows)
{
    __shared__ float tile[32 * 65];
    const int to = (rank + 1 + blockIdx.z) % ranks;
    const int left = border(width, to, ranks), columns = border(width, to + 1, ranks) - left;
    int before = 0;
    for (int r = (rank + 1) % ranks; r != to; r = (r + 1) % ranks) before += border(width, r + 1, ranks) - border(width, r, ranks);
    send += size_t(before) * rows;
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 32, t = threadIdx.y * 64 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 4)
        if (y0 + y < rows && x0 + threadIdx.x < columns) tile[y * 65 + threadIdx.x] = input[size_t(y0 + y) * width + left + x0 + threadIdx.x];
    __syncthreads();
    for (int c = t / 32, r = t % 32; c < 64; c += 8)
        if (x0 + c < columns && y0 + r < rows) send[size_t(x0 + c) * rows + y0 + r] = tile[r * 65 + c];
}
void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    const int rows = border(height, rank + 1, ranks) - border(height, rank, ranks), columns = (width + ranks - 1) / ranks;
    if (rows > 0) pack_turned<<<dim3((columns + 63) / 64, (rows + 31) / 32, ranks), dim3(64, 4)>>>(send, input, rank, ranks, width, rows);
}
