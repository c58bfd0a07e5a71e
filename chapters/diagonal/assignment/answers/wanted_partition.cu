// Right: each block computes the partition that its row begins in, and starts in the partition of its own number.

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

constexpr int PARTITIONS = 8;
constexpr int PARTITION = 64;

__global__ void subtract_smallest(int* output, const int* input, int width)
{
    __shared__ int smallest[BLOCK];
    const int* from = input + (size_t)blockIdx.x * width;
    int* to = output + (size_t)blockIdx.x * width;

    int here = (unsigned long long)(from - input) / PARTITION % PARTITIONS;
    int wanted = blockIdx.x % PARTITIONS;
    int start = (wanted - here + PARTITIONS) % PARTITIONS * PARTITION;
    if (start >= width)
        start = 0;

    // From the start to the end of the row, then from its beginning to the start.
    int mine = INT_MAX;
    for (int column = start + threadIdx.x; column < width; column += BLOCK)
        mine = min(mine, from[column]);
    for (int column = threadIdx.x; column < start; column += BLOCK)
        mine = min(mine, from[column]);
    find_smallest(smallest, mine);
    mine = smallest[0];

    for (int column = start + threadIdx.x; column < width; column += BLOCK)
        to[column] = from[column] - mine;
    for (int column = threadIdx.x; column < start; column += BLOCK)
        to[column] = from[column] - mine;
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_smallest<<<height, BLOCK>>>(output, input, width);
}
