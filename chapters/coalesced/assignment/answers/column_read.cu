// Right, with coalesced stores, but its loads run up the columns.

#include <cuda_runtime.h>

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < height && y < width)
        output[y * height + x] = input[(height - 1 - x) * width + y];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    turn<<<dim3((height + 31) / 32, (width + 7) / 8), dim3(32, 8)>>>(output, input, width, height);
}
