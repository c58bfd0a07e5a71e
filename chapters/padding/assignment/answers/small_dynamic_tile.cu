#include <cuda_runtime.h>

// Tiles are 16 x 16 in dynamic shared memory, with one thread for each element; the host chooses the pitch.

template <class Element>
__global__ void transpose(Element* output, const Element* input, int width, int height, int pitch)
{
    extern __shared__ double tile[];
    const int columns = blockDim.x;
    int x = blockIdx.x * columns + threadIdx.x;
    int y = blockIdx.y * columns + threadIdx.y;
    const bool reads = x < width && y < height;
    if (reads) tile[threadIdx.y * pitch + threadIdx.x] = input[static_cast<size_t>(y) * width + x];
    __syncthreads();
    x = blockIdx.y * columns + threadIdx.x;
    y = blockIdx.x * columns + threadIdx.y;
    if (x < height && y < width) output[static_cast<size_t>(y) * height + x] = tile[threadIdx.x * pitch + threadIdx.y];
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    const int columns = 16, pitch = columns + 1;
    const dim3 block(columns, columns), grid((width + columns - 1) / columns, (height + columns - 1) / columns);
    transpose<double><<<grid, block, columns * pitch * sizeof(double)>>>(output, input, width, height, pitch);
}
