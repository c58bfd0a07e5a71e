// Right where all columns fit in the table, but the table of their places is an argument of the launch, of 4 KiB and more.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int MOST_COLUMNS = 1200;

// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

struct Places {
    int of[MOST_COLUMNS];
};

__global__ void write_columns(float* send, const float* input, int rows, int width, const __grid_constant__ Places places)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < width)
            send[places.of[y + j] * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int start = first(width, (rank + 1) % ranks, ranks);
    if (rows == 0)
        return;
    Places places = {};
    for (int x = 0; x < width; x++)
        places.of[x] = (x - start + width) % width;
    write_columns<<<dim3((width + 31) / 32, (rows + 31) / 32), dim3(TILE_DIM, BLOCK_ROWS)>>>(send, input, rows, width, places);
}
