// Right: two arrays of words hold the halves of the doubles, and a grid-stride loop goes over the tiles.

#include <cuda_runtime.h>

struct Tile {
    static constexpr int SIDE = 32;
    int high[SIDE][SIDE + 1], low[SIDE][SIDE + 1];

    __device__ void set(int row, int column, double value)
    {
        high[row][column] = __double2hiint(value);
        low[row][column] = __double2loint(value);
    }
    __device__ double get(int row, int column) const { return __hiloint2double(high[row][column], low[row][column]); }
};

struct Matrix {
    int width, height;
    __device__ bool has(int x, int y) const { return x < width && y < height; }
    __device__ size_t at(int x, int y) const { return size_t(y) * width + x; }
};

__global__ void transpose(double* __restrict__ output, const double* __restrict__ input, Matrix from)
{
    __shared__ Tile tile;
    const Matrix to{from.height, from.width};
    const int across = (from.width - 1) / Tile::SIDE + 1, down = (from.height - 1) / Tile::SIDE + 1;
    for (int number = blockIdx.x; number < across * down; number += gridDim.x) {
        const int left = number % across * Tile::SIDE, top = number / across * Tile::SIDE;
        for (int row = threadIdx.y; row < Tile::SIDE; row += blockDim.y)
            if (from.has(left + threadIdx.x, top + row))
                tile.set(row, threadIdx.x, input[from.at(left + threadIdx.x, top + row)]);
        __syncthreads();
        for (int row = threadIdx.y; row < Tile::SIDE; row += blockDim.y)
            if (to.has(top + threadIdx.x, left + row))
                output[to.at(top + threadIdx.x, left + row)] = tile.get(threadIdx.x, row);
        __syncthreads();
    }
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    const int tiles = ((width - 1) / Tile::SIDE + 1) * ((height - 1) / Tile::SIDE + 1);
    transpose<<<tiles < 264 ? tiles : 264, dim3(32, 8)>>>(output, input, {width, height});
}
