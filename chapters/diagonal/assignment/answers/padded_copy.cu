// Wrong: the numbers are right and spread over all partitions, but a copy with rows one partition longer moves twice as much.

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

__global__ void copy_rows(int* to, const int* from, int width, int to_pitch, int from_pitch)
{
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column < width)
        to[(size_t)blockIdx.y * to_pitch + column] = from[(size_t)blockIdx.y * from_pitch + column];
}

__global__ void subtract_smallest(int* rows, int width, int pitch)
{
    __shared__ int smallest[BLOCK];
    int* row = rows + (size_t)blockIdx.x * pitch;
    int mine = INT_MAX;
    for (int column = threadIdx.x; column < width; column += BLOCK)
        mine = min(mine, row[column]);
    find_smallest(smallest, mine);
    for (int column = threadIdx.x; column < width; column += BLOCK)
        row[column] -= smallest[0];
}

void subtract_minimum(int* output, const int* input, int width, int height)
{
    int pitch = width + PARTITION;
    int* rows = nullptr;
    if (cudaMalloc(&rows, (size_t)pitch * height * sizeof(int)) != cudaSuccess)
        return;
    dim3 pieces((width - 1) / BLOCK + 1, height);
    copy_rows<<<pieces, BLOCK>>>(rows, input, width, pitch, width);
    subtract_smallest<<<height, BLOCK>>>(rows, width, pitch);
    copy_rows<<<pieces, BLOCK>>>(output, rows, width, width, pitch);
    cudaFree(rows);
}
