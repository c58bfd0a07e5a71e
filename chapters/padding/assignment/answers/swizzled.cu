#include <cuda_runtime.h>

// The tile is square, without padding: row y keeps its elements in a rotated order.

constexpr int TILE = 32;

__device__ int place(int row, int column) { return row * TILE + (row ^ column); }

__global__ void transpose(double* output, const double* input, int width, int height)
{
    __shared__ double tile[TILE * TILE];
    for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
        int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + row;
        if (x < width && y < height) tile[place(row, threadIdx.x)] = input[y * width + x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
        int x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + row;
        if (x < height && y < width) output[y * height + x] = tile[place(threadIdx.x, row)];
    }
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<<<grid, dim3(TILE, 16)>>>(output, input, width, height);
}
