// Does not compile: sun for sum.

#include <cuda_runtime.h>

__global__ void add_up_rows(float* sums, const float* matrix, int width, int height)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height)
        return;

    float sum = 0;
    for (int x = 0; x < width; x++)
        sun += matrix[row * width + x];
    sums[row] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    add_up_rows<<<(height + 255) / 256, 256>>>(sums, matrix, width, height);
}
