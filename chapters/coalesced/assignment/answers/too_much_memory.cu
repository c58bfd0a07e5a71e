// Keeps each pixel in a megabyte of its own.

#include <cstddef>
#include <cuda_runtime.h>

constexpr std::size_t WORDS = (std::size_t(1) << 20) / sizeof(unsigned);

__global__ void spread(unsigned* scratch, const unsigned* input, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels)
        scratch[i * WORDS] = input[i];
}

__global__ void collect(unsigned* output, const unsigned* scratch, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height)
        output[i] = scratch[((height - 1 - i % height) * width + i / height) * WORDS];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    unsigned* scratch = nullptr;
    cudaMalloc(&scratch, WORDS * sizeof(unsigned) * width * height);
    int blocks = (width * height + 255) / 256;
    spread<<<blocks, 256>>>(scratch, input, width * height);
    collect<<<blocks, 256>>>(output, scratch, width, height);
    cudaFree(scratch);
}
