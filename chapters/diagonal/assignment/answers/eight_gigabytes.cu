// Wrong: takes far more memory than the matrix has, and fills it.

#include <climits>
#include <cstddef>
#include <cuda_runtime.h>

constexpr int BLOCK = 64;

void subtract_minimum(int* output, const int* input, int width, int height)
{
    constexpr std::size_t MORE_THAN_ENOUGH = std::size_t(1) << 33;
    int* rows = nullptr;
    if (cudaMalloc(&rows, MORE_THAN_ENOUGH) != cudaSuccess)
        return;
    cudaMemset(rows, 0, MORE_THAN_ENOUGH);
    cudaMemcpy(output, rows, sizeof(int) * width * height, cudaMemcpyDeviceToDevice);
    cudaFree(rows);
}
