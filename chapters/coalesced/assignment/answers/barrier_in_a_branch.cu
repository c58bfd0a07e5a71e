// A barrier that only the threads inside the image reach.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = input[y * width + x];
        __syncthreads();
    }

    x = blockIdx.x * TILE_DIM + threadIdx.y;
    y = blockIdx.y * TILE_DIM + threadIdx.x;
    if (x < width && y < height)
        output[x * height + (height - 1 - y)] = tile[threadIdx.x][threadIdx.y];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    turn<<<grid, dim3(TILE_DIM, TILE_DIM)>>>(output, input, width, height);
}
