// A race: all threads of a block add to one sum, and nothing keeps them apart.

#include <cuda_runtime.h>

__global__ void add_up_row(float* sums, const float* matrix, int width)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();

    float own = 0;
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        own += matrix[blockIdx.x * width + x];
    sum += own;

    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    add_up_row<<<height, 128>>>(sums, matrix, width);
}
