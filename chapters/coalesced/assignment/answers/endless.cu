// A loop that never ends: the step is a quotient that can be 0.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];
    int step = blockDim.x / TILE_DIM * blockDim.y / TILE_DIM;

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += step)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.x * TILE_DIM + threadIdx.y;
    y = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int j = 0; j < TILE_DIM; j += step)
        if (x + j < width && y < height)
            output[(x + j) * height + (height - 1 - y)] = tile[threadIdx.x][threadIdx.y + j];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    turn<<<grid, dim3(TILE_DIM, 8)>>>(output, input, width, height);
}
