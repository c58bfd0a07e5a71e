// Right: the tile is turned when it is written, not when it is read, and an exclusive or moves its columns.

#include <cuda_runtime.h>

template <int Tile> __global__ void rotate_tiles(unsigned* output, const unsigned* input, int width, int height)
{
    extern __shared__ unsigned tile[];
    const int lane = threadIdx.x;

    // The last rows of the input are the first columns of the output: count them from the bottom.
    int column = blockIdx.x * Tile + lane;
    for (int row = threadIdx.y; row < Tile; row += blockDim.y) {
        int from_bottom = blockIdx.y * Tile + row;
        if (column < width && from_bottom < height)
            tile[lane * Tile + (row ^ lane)] = input[(height - 1 - from_bottom) * width + column];
    }
    __syncthreads();

    int output_column = blockIdx.y * Tile + lane;
    for (int row = threadIdx.y; row < Tile; row += blockDim.y) {
        int output_row = blockIdx.x * Tile + row;
        if (output_column < height && output_row < width)
            output[output_row * height + output_column] = tile[row * Tile + (lane ^ row)];
    }
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    constexpr int Tile = 32;
    dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile);
    rotate_tiles<Tile><<<grid, dim3(Tile, 16), Tile * Tile * sizeof(unsigned)>>>(output, input, width, height);
}
