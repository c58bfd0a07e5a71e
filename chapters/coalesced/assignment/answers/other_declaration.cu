// Compiles, but the function takes its arguments in another order than the declaration says.

#include <cuda_runtime.h>

__global__ void turn(unsigned* output, const unsigned* input, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height)
        output[x * height + (height - 1 - y)] = input[y * width + x];
}

void rotate(const unsigned* input, unsigned* output, int width, int height)
{
    turn<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(output, input, width, height);
}
