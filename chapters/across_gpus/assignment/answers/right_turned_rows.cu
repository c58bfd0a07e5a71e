// Right: the send order is the transposed matrix, rotated by whole rows. So tiles need not end where blocks end, and a column
// finds its row by one subtraction. An exclusive or moves the tile's columns.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int THREADS = 256;

// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

__global__ void write_turned(float* send, const float* input, int rows, int width, int start)
{
    __shared__ float tile[TILE_DIM * TILE_DIM];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int left = blockIdx.x * TILE_DIM, top = blockIdx.y * TILE_DIM;

    for (int row = warp; row < TILE_DIM; row += THREADS / 32)
        if (left + lane < width && top + row < rows)
            tile[row * TILE_DIM + (lane ^ row)] = input[(top + row) * width + left + lane];

    __syncthreads();

    for (int column = warp; column < TILE_DIM; column += THREADS / 32) {
        int x = left + column;
        int turned = x >= start ? x - start : x - start + width;
        if (x < width && top + lane < rows)
            send[turned * rows + top + lane] = tile[lane * TILE_DIM + (column ^ lane)];
    }
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int start = rank + 1 < ranks ? first(width, rank + 1, ranks) : 0;
    if (rows > 0)
        write_turned<<<dim3((width + 31) / 32, (rows + 31) / 32), THREADS>>>(send, input, rows, width, start);
}
