// A race: half of the warps fill the tile, the others empty it, and no barrier keeps the second half waiting. Where the
// warps happen to run in order, the result is right.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[TILE_DIM][TILE_DIM + 1];
    int left = blockIdx.x * TILE_DIM, top = blockIdx.y * TILE_DIM;

    if (threadIdx.y < BLOCK_ROWS) {
        for (int row = threadIdx.y; row < TILE_DIM; row += BLOCK_ROWS)
            if (left + threadIdx.x < width && top + row < height)
                tile[row][threadIdx.x] = input[(top + row) * width + left + threadIdx.x];
    } else {
        for (int column = threadIdx.y - BLOCK_ROWS; column < TILE_DIM; column += BLOCK_ROWS)
            if (left + column < width && top + threadIdx.x < height)
                output[(left + column) * height + height - 1 - (top + threadIdx.x)] = tile[threadIdx.x][column];
    }
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    turn<<<grid, dim3(TILE_DIM, 2 * BLOCK_ROWS)>>>(output, input, width, height);
}
