// Right: a block takes each row, and adds up by a tree in shared memory.

#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void sum_row(float* sums, const float* matrix, int width)
{
    __shared__ float partial[THREADS];
    const float* row = matrix + blockIdx.x * width;

    float sum = 0;
    for (int x = threadIdx.x; x < width; x += THREADS)
        sum += row[x];
    partial[threadIdx.x] = sum;

    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    sum_row<<<height, THREADS>>>(sums, matrix, width);
}
