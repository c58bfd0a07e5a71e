// Right. The way round the row is a remainder, and each step works it out anew.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

__device__ void find_smallest(int* smallest, int mine)
{
    int tid = threadIdx.x;
    smallest[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            smallest[tid] = min(smallest[tid], smallest[tid + s]);
        __syncthreads();
    }
}

constexpr int PARTITION = 64;

__device__ int column_of(int step, int width)
{
    return (step + blockIdx.x % max(1, width / PARTITION) * PARTITION) % width;
}

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest[BLOCK];
    size_t row = (size_t)blockIdx.x * width;

    int mine = INT_MAX;
    for (int step = threadIdx.x; step < width; step += BLOCK)
        mine = min(mine, input[row + column_of(step, width)]);
    find_smallest(smallest, mine);

    for (int step = threadIdx.x; step < width; step += BLOCK) {
        int column = column_of(step, width);
        output[row + column] = input[row + column] - smallest[0];
    }
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}
