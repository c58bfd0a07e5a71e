// Right: a block turns a tile of 64 columns and 32 rows.

#include <cuda_runtime.h>

constexpr int WIDE = 64, HIGH = 32, ROWS = 4;

__global__ void turn_wide(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[HIGH][WIDE + 1];
    const int left = blockIdx.x * WIDE, top = blockIdx.y * HIGH;
    for (int row = threadIdx.y; row < HIGH; row += ROWS) {
        const int x = left + threadIdx.x, y = top + row;
        if (x < width && y < height)
            tile[row][threadIdx.x] = input[y * width + x];
    }
    __syncthreads();

    const int lane = threadIdx.x % HIGH, y = top + lane;
    for (int column = 2 * threadIdx.y + threadIdx.x / HIGH; column < WIDE; column += 2 * ROWS) {
        const int x = left + column;
        if (x < width && y < height)
            output[x * height + (height - 1 - y)] = tile[lane][column];
    }
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    const dim3 blocks((width + WIDE - 1) / WIDE, (height + HIGH - 1) / HIGH);
    turn_wide<<<blocks, dim3(WIDE, ROWS)>>>(output, input, width, height);
}
