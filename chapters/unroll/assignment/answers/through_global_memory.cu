// Right, and each load has 16 bytes, but every byte takes an addition in global memory.

#include <cstdint>
#include <cuda_runtime.h>

constexpr int BYTES_OF_A_BLOCK = 256 * 16 * 4;

__device__ void count_four(unsigned* bins, unsigned four)
{
    for (int byte = 0; byte < 4; byte++)
        atomicAdd(&bins[four >> (8 * byte) & 255], 1);
}

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    int head = min(count, int(-reinterpret_cast<std::uintptr_t>(values) % 16));
    int wides = (count - head) / 16, tail = head + wides * 16;
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&bins[values[threadIdx.x]], 1);
    if (blockIdx.x == 0 && threadIdx.x < count - tail)
        atomicAdd(&bins[values[tail + threadIdx.x]], 1);

    const uint4* body = reinterpret_cast<const uint4*>(values + head);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < wides; i += gridDim.x * blockDim.x) {
        uint4 wide = body[i];
        count_four(bins, wide.x);
        count_four(bins, wide.y);
        count_four(bins, wide.z);
        count_four(bins, wide.w);
    }
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count_values<<<(count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK, 256>>>(bins, values, count);
}
