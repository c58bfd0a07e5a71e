// Right counts and wide loads, but eight lanes at a time add to the bins: four times as many atomic operations.

#include <cstdint>
#include <cuda_runtime.h>

constexpr int BINS = 256;
constexpr int THREADS = 256;
constexpr int LOADS = 4;
constexpr int WIDE = 16;

__device__ void count_byte(unsigned* bins, unsigned value)
{
    for (int turn = 0; turn < 4; turn++) {
        if (threadIdx.x % 4 == turn)
            atomicAdd(&bins[value], 1);
        __syncwarp(__activemask());
    }
}

__device__ void count_word(unsigned* bins, unsigned word)
{
    for (int byte = 0; byte < 4; byte++)
        count_byte(bins, (word >> (8 * byte)) & 0xff);
}

__global__ void count_values(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned block_bins[BINS];
    block_bins[threadIdx.x] = 0;
    __syncthreads();

    int head = min(count, int((WIDE - reinterpret_cast<std::uintptr_t>(values) % WIDE) % WIDE));
    int wides = (count - head) / WIDE;
    int tail = head + wides * WIDE;
    if (blockIdx.x == 0 && threadIdx.x < head)
        atomicAdd(&block_bins[values[threadIdx.x]], 1);
    if (blockIdx.x == 0 && threadIdx.x < count - tail)
        atomicAdd(&block_bins[values[tail + threadIdx.x]], 1);

    const uint4* body = reinterpret_cast<const uint4*>(values + head);
    int first = blockIdx.x * LOADS * THREADS + threadIdx.x;
    for (int i = 0; i < LOADS; i++)
        if (first + i * THREADS < wides) {
            uint4 loaded = body[first + i * THREADS];
            count_word(block_bins, loaded.x);
            count_word(block_bins, loaded.y);
            count_word(block_bins, loaded.z);
            count_word(block_bins, loaded.w);
        }

    __syncthreads();
    atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    constexpr int BYTES_OF_A_BLOCK = LOADS * THREADS * WIDE;
    count_values<<<(count + BYTES_OF_A_BLOCK - 1) / BYTES_OF_A_BLOCK, THREADS>>>(bins, values, count);
}
