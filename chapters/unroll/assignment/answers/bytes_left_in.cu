// Right, and a block counts 16 KiB, but each load has one byte.

#include <cuda_runtime.h>

constexpr int BYTES_OF_A_BLOCK = 16384;

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[256];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    int begin = blockIdx.x * BYTES_OF_A_BLOCK, end = min(count, begin + BYTES_OF_A_BLOCK);
    for (int i = begin + threadIdx.x; i < end; i += 256)
        atomicAdd(&block_bins[values[i]], 1);

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count_values<<<(count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK, 256>>>(bins, values, count);
}
