// The blocks read from all partitions, but keep their row in shared memory, and all write it from its first number on.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;
constexpr int PARTITION = 64;

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    extern __shared__ int numbers[];
    __shared__ int smallest[BLOCK];
    int tid = threadIdx.x;
    size_t row = (size_t)blockIdx.x * width;
    int shift = blockIdx.x % max(1, width / PARTITION) * PARTITION;

    int mine = INT_MAX;
    for (int step = tid; step < width; step += BLOCK) {
        int column = step + shift < width ? step + shift : step + shift - width;
        numbers[column] = input[row + column];
        mine = min(mine, numbers[column]);
    }
    smallest[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            smallest[tid] = min(smallest[tid], smallest[tid + s]);
        __syncthreads();
    }

    for (int column = tid; column < width; column += BLOCK)
        output[row + column] = numbers[column] - smallest[0];
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK, width * sizeof(int)>>>(output, input, width);
}
