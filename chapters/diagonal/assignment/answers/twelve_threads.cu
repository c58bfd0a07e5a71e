// Right differences, but a block has twelve threads, and each of their numbers is an atomic operation.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 12;

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest;
    size_t row = (size_t)blockIdx.x * width;
    if (threadIdx.x == 0)
        smallest = INT_MAX;
    __syncthreads();

    for (int column = threadIdx.x; column < width; column += BLOCK)
        atomicMin(&smallest, input[row + column]);
    __syncthreads();

    for (int column = threadIdx.x; column < width; column += BLOCK)
        output[row + column] = input[row + column] - smallest;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}
