// Right: each round loads 16 bytes and counts them before the next load.

#include <cstdint>
#include <cuda_runtime.h>

constexpr int LOADS = 4;

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
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&block_bins[values[threadIdx.x]], 1);
    if (blockIdx.x == 0 && threadIdx.x < count - tail)
        atomicAdd(&block_bins[values[tail + threadIdx.x]], 1);

    const uint4* body = reinterpret_cast<const uint4*>(values + head);
    for (int turn = 0; turn < LOADS; turn++) {
        int i = (blockIdx.x * LOADS + turn) * 256 + threadIdx.x;
        if (i < wides) {
            uint4 wide = body[i];
            count_four(block_bins, wide.x);
            count_four(block_bins, wide.y);
            count_four(block_bins, wide.z);
            count_four(block_bins, wide.w);
        }
    }

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count_values<<<(count + 16383) / 16384, 256>>>(bins, values, count);
}
