// Wrong: a thread goes round until it is back where it began, and at most widths it comes by beside that.

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

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest[BLOCK];
    size_t row = (size_t)blockIdx.x * width;
    int start = blockIdx.x * PARTITION % width + threadIdx.x;

    int mine = INT_MAX;
    int column = start;
    do {
        if (column < width)
            mine = min(mine, input[row + column]);
        column += BLOCK;
        if (column >= width)
            column -= width;
    } while (column != start);
    find_smallest(smallest, mine);

    do {
        if (column < width)
            output[row + column] = input[row + column] - smallest[0];
        column += BLOCK;
        if (column >= width)
            column -= width;
    } while (column != start);
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}
