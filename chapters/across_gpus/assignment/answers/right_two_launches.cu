// Right, in C style: one launch writes the columns of the later ranks, another those of the earlier ranks and its own.

#include <cuda_runtime.h>

#define SIDE 32
#define ROWS 8
#define FIRST(count, rank) ((int)((long long)(count) * (rank) / ranks))

extern "C" __global__ void __launch_bounds__(SIDE * ROWS)
    turn_columns(float* send, const float* input, int width, int columns, int rows)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE, i;
#pragma unroll
    for (i = threadIdx.y; i < SIDE; i += ROWS)
        if (left + threadIdx.x < columns && top + i < rows)
            tile[i][threadIdx.x] = input[(top + i) * width + left + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (i = threadIdx.y; i < SIDE; i += ROWS)
        if (left + i < columns && top + threadIdx.x < rows)
            send[(left + i) * rows + top + threadIdx.x] = tile[threadIdx.x][i];
}

static void turn(float* send, const float* input, int width, int columns, int rows)
{
    if (columns > 0 && rows > 0)
        turn_columns<<<dim3((columns + SIDE - 1) / SIDE, (rows + SIDE - 1) / SIDE), dim3(SIDE, ROWS)>>>(send, input, width, columns, rows);
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = FIRST(height, rank + 1) - FIRST(height, rank), start = FIRST(width, rank + 1);
    turn(send, input + start, width, width - start, rows);
    turn(send + (size_t)(width - start) * rows, input, width, start, rows);
}
