// Asks for a gigabyte for each column, to keep a block's rows in, and does not look whether it got them.

#include <cstddef>
#include <cuda_runtime.h>

constexpr std::size_t GIGABYTE = std::size_t(1) << 30;

// The first of `count` rows, or columns, that belongs to `rank`. Its last one stands before those of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

__global__ void spread(float* scratch, const float* input, int rows, int width)
{
    for (int y = threadIdx.x; y < rows; y += blockDim.x)
        scratch[blockIdx.x * (GIGABYTE / sizeof(float)) + y] = input[y * width + blockIdx.x];
}

__global__ void collect(float* send, const float* scratch, int rows, int width, int start)
{
    for (int y = threadIdx.x; y < rows; y += blockDim.x)
        send[(blockIdx.x - start + width) % width * rows + y] = scratch[blockIdx.x * (GIGABYTE / sizeof(float)) + y];
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    float* scratch = nullptr;
    cudaMalloc(&scratch, width * GIGABYTE);
    spread<<<width, 128>>>(scratch, input, rows, width);
    collect<<<width, 128>>>(send, scratch, rows, width, first(width, (rank + 1) % ranks, ranks));
    cudaFree(scratch);
}
