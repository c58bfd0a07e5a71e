// Right, and each load has 16 bytes, but each thread makes one load, so a block adds 256 bins for 4096 bytes.

#include <cstdint>
#include <cuda_runtime.h>

__device__ void count_four(unsigned* bins, unsigned four)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[four >> (8 * byte) & 255], 1);
}

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[256];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    int head = min(count, int(-reinterpret_cast<std::uintptr_t>(values) % 16));
    int wides = (count - head) / 16, tail = head + wides * 16;
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < head)
        atomicAdd(&block_bins[values[i]], 1);
    if (i < count - tail)
        atomicAdd(&block_bins[values[tail + i]], 1);
    if (i < wides) {
        uint4 wide = reinterpret_cast<const uint4*>(values + head)[i];
        count_four(block_bins, wide.x);
        count_four(block_bins, wide.y);
        count_four(block_bins, wide.z);
        count_four(block_bins, wide.w);
    }

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count_values<<<(count + 4095) / 4096, 256>>>(bins, values, count);
}
