// Writes nothing: the output keeps its former contents.

#include <cuda_runtime.h>

void sum_rows(float* sums, const float* matrix, int width, int height) {}
