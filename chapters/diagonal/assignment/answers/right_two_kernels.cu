// Right, in C style with macros: one kernel finds the smallest numbers, another one subtracts them.

#include <cuda_runtime.h>
#include <limits.h>

#define THREADS 64
#define ROUND(column) \
    for (int step = threadIdx.x, column; step < width && (column = (step + start) % width, 1); step += THREADS)
#define START(row) ((row) % (width < THREADS ? 1 : width / THREADS) * THREADS)

extern "C" __global__ void find_minima(int* minima, const int* input, int width)
{
    __shared__ int warps[2];
    const int* row = input + (size_t)blockIdx.x * width;
    int start = START(blockIdx.x), least = INT_MAX;
    ROUND(column) if (row[column] < least) least = row[column];
    for (int distance = 16; distance; distance >>= 1)
        least = min(least, __shfl_down_sync(0xffffffffu, least, distance));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = least;
    __syncthreads();
    if (threadIdx.x == 0) minima[blockIdx.x] = min(warps[0], warps[1]);
}

extern "C" __global__ void subtract_minima(int* output, const int* input, const int* minima, int width)
{
    const size_t row = (size_t)blockIdx.x * width;
    const int start = START(blockIdx.x), least = minima[blockIdx.x];
    ROUND(column) output[row + column] = input[row + column] - least;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    static int* minima;
    static int room;
    if (room < height) {
        cudaFree(minima);
        cudaMalloc((void**)&minima, height * sizeof(int));
        room = height;
    }
    find_minima<<<height, THREADS>>>(minima, input, width);
    subtract_minima<<<height, THREADS>>>(output, input, minima, width);
}
