// Right: a warp keeps 32 x 32 elements in registers, one column in each lane, and transposes by shuffles without shared memory.

#include <cuda_runtime.h>


// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

__global__ void write_from_registers(float* send, const float* input, int rows, int width, int start)
{
    int lane = threadIdx.x;
    int left = blockIdx.x * 32, top = blockIdx.y * 32;

    float own[32];
#pragma unroll
    for (int row = 0; row < 32; row++)
        own[row] = left + lane < width && top + row < rows ? input[(top + row) * width + left + lane] : 0;

    // Exchange blocks of 16 x 16 with the lane 16 away, then of 8 x 8 with the lane 8 away, and so on.
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
#pragma unroll
        for (int row = 0; row < 32; row++)
            if ((row & distance) == 0) {
                bool upper = lane & distance;
                float received = __shfl_xor_sync(0xffffffff, upper ? own[row] : own[row + distance], distance);
                if (upper)
                    own[row] = received;
                else
                    own[row + distance] = received;
            }

    // Now own[k] is the element in column left + k of row top + lane.
#pragma unroll
    for (int k = 0; k < 32; k++)
        if (left + k < width && top + lane < rows)
            send[(left + k - start + width) % width * rows + top + lane] = own[k];
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    int start = first(width, (rank + 1) % ranks, ranks);
    if (rows > 0)
        write_from_registers<<<dim3((width + 31) / 32, (rows + 31) / 32), 32>>>(send, input, rows, width, start);
}
