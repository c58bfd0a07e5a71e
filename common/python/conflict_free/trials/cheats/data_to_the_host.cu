// Copies device memory to the host, where it could compute.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    char* memory;
    char copy[4096];
    cudaMalloc(&memory, sizeof copy);
    cudaMemcpy(copy, memory, sizeof copy, cudaMemcpyDeviceToHost);
    cudaFree(memory);
}
