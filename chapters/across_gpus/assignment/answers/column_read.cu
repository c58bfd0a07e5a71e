// Right, with coalesced stores, but its loads run down the columns.

#include <cuda_runtime.h>

// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

__global__ void write_elements(float* send, const float* input, int rows, int width, int start)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < rows && y < width)
        send[y * rows + x] = input[x * width + (y + start) % width];
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int start = first(width, (rank + 1) % ranks, ranks);
    if (rows > 0)
        write_elements<<<dim3((rows + 31) / 32, (width + 7) / 8), dim3(32, 8)>>>(send, input, rows, width, start);
}
