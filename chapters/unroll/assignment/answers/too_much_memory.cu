// Keeps counters of its own for each byte, in gigabytes.

#include <cstddef>
#include <cuda_runtime.h>

constexpr std::size_t STRIDE = 16384;

__global__ void mark(unsigned* marks, const unsigned char* values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        marks[std::size_t(i) * STRIDE + values[i]] = 1;
}

__global__ void add_up(unsigned* bins, const unsigned* marks, int count)
{
    unsigned sum = 0;
    for (int i = 0; i < count; i++)
        sum += marks[std::size_t(i) * STRIDE + threadIdx.x];
    bins[threadIdx.x] = sum;
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    unsigned* marks = nullptr;
    std::size_t bytes = sizeof(unsigned) * STRIDE * count;
    cudaMalloc(&marks, bytes);
    cudaMemset(marks, 0, bytes);
    mark<<<(count + 255) / 256, 256>>>(marks, values, count);
    add_up<<<1, 256>>>(bins, marks, count);
    cudaFree(marks);
}
