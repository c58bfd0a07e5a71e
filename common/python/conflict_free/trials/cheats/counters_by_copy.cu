// Makes cudaMemcpy write to the driver's own variables.

#include <cuda_runtime.h>

GRADED_DECLARATION
{
    char zeros[64] = {};
    cudaMemcpy(zeros + 4096, zeros, sizeof zeros, cudaMemcpyHostToHost);
}
