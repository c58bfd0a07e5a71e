// Computes in host code on memory that kernels reach too.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    float* memory;
    if (cudaMallocManaged(&memory, 4096) != cudaSuccess) return;
    for (int i = 0; i < 1024; ++i) memory[i] = static_cast<float>(i);
}
