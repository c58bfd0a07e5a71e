// Defines a name of CUDA as an empty macro.

#define __syncthreads() static_cast<void>(0)

GRADED_SOLUTION
