// Right, in C: a block of 256 threads takes each row, and adds up its threads' sums in shared memory.

#include <cuda_runtime.h>
#define N 256
__global__ void row_sum(float *sums, const float *matrix, int width)
{
    __shared__ float s[N];
    const float *row = matrix + (long)blockIdx.x * width;
    float mine = 0.f;
    int i;
    for (i = threadIdx.x; i < width; i += N) mine += row[i];
    s[threadIdx.x] = mine;
    __syncthreads();
    for (i = N / 2; i > 0; i >>= 1) {
        if ((int)threadIdx.x < i) s[threadIdx.x] += s[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}
void sum_rows(float *sums, const float *matrix, int width, int height)
{
    row_sum<<<height, N>>>(sums, matrix, width);
}
