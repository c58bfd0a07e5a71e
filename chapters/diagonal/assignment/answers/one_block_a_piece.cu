// Right: a block works on 256 bytes of a row, not on a whole row, and neighboring blocks work side by side.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

__global__ void begin(int* minima, int height)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row < height)
        minima[row] = INT_MAX;
}

__global__ void find(int* minima, const int* input, int width)
{
    __shared__ int smallest;
    if (threadIdx.x == 0)
        smallest = INT_MAX;
    __syncthreads();
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column < width)
        atomicMin(&smallest, input[(size_t)blockIdx.y * width + column]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMin(&minima[blockIdx.y], smallest);
}

__global__ void subtract(int* output, const int* input, const int* minima, int width)
{
    __shared__ int smallest;
    if (threadIdx.x == 0)
        smallest = minima[blockIdx.y];
    __syncthreads();
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column < width)
        output[(size_t)blockIdx.y * width + column] = input[(size_t)blockIdx.y * width + column] - smallest;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    int* minima = nullptr;
    if (cudaMalloc(&minima, height * sizeof(int)) != cudaSuccess)
        return;
    dim3 pieces((width - 1) / BLOCK + 1, height);
    begin<<<(height - 1) / BLOCK + 1, BLOCK>>>(minima, height);
    find<<<pieces, BLOCK>>>(minima, input, width);
    subtract<<<pieces, BLOCK>>>(output, input, minima, width);
    cudaFree(minima);
}
