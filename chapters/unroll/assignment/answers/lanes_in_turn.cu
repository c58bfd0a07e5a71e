// The counts are right without atomic operations on a block's bins: a block is one warp, and its lanes add in turn.

#include <cuda_runtime.h>

constexpr int BINS = 256;
constexpr int LANES = 32;
constexpr int BYTES_OF_A_BLOCK = 4096;

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        block_bins[bin] = 0;
    __syncwarp();

    int first = blockIdx.x * BYTES_OF_A_BLOCK, end = min(count, first + BYTES_OF_A_BLOCK);
    for (int base = first; base < end; base += LANES) {
        int i = base + threadIdx.x;
        unsigned value = i < end ? values[i] : 0;
        for (int turn = 0; turn < LANES; turn++) {
            if (threadIdx.x == turn && i < end)
                block_bins[value]++;
            __syncwarp();
        }
    }

    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        atomicAdd(&bins[bin], block_bins[bin]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    count_values<<<(count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK, LANES>>>(bins, values, count);
}
