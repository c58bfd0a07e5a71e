// Right, but through global memory: one kernel transposes into a buffer, another reverses each row of it.

#include <cuda_runtime.h>

__global__ void transpose(unsigned* output, const unsigned* input, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height)
        output[x * height + y] = input[y * width + x];
}

__global__ void reverse_rows(unsigned* output, const unsigned* input, int width, int height)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height)
        output[y * width + x] = input[y * width + width - 1 - x];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    unsigned* transposed;
    cudaMalloc(&transposed, sizeof(unsigned) * width * height);
    dim3 block(32, 8);
    transpose<<<dim3((width + 31) / 32, (height + 7) / 8), block>>>(transposed, input, width, height);
    reverse_rows<<<dim3((height + 31) / 32, (width + 7) / 8), block>>>(output, transposed, height, width);
    cudaFree(transposed);
}
