// Makes nothing of a name of CUDA.

#define __syncthreads() static_cast<void>(0)

GRADED_SOLUTION
