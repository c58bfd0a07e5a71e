// Right: there is a block for each 16 KiB and a grid-stride loop; single bytes are read before and behind the whole 16.

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

struct alignas(16) Bytes {
    unsigned char value[16];
};

template <int Threads> __global__ void count_all(unsigned* bins, const unsigned char* values, int count)
{
    extern __shared__ unsigned own[];
    for (int bin = threadIdx.x; bin < 256; bin += Threads)
        own[bin] = 0;
    __syncthreads();

    std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(values), end = begin + count;
    std::uintptr_t first = (begin + 15) / 16 * 16, last = end / 16 * 16;
    if (first > last)
        first = last = end;

    const Bytes* wide = reinterpret_cast<const Bytes*>(first);
    const std::size_t wides = (last - first) / 16;
    for (std::size_t i = std::size_t(blockIdx.x) * Threads + threadIdx.x; i < wides; i += std::size_t(gridDim.x) * Threads) {
        Bytes bytes = wide[i];
#pragma unroll
        for (int byte = 0; byte < 16; byte++)
            atomicAdd(own + bytes.value[byte], 1u);
    }

    // The last block has the least work, and takes the bytes at both ends.
    if (blockIdx.x == gridDim.x - 1) {
        const int before = first - begin, behind = end - last;
        if (threadIdx.x < before)
            atomicAdd(own + values[threadIdx.x], 1u);
        else if (threadIdx.x - before < behind)
            atomicAdd(own + values[count - behind + threadIdx.x - before], 1u);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < 256; bin += Threads)
        if (own[bin])
            atomicAdd(&bins[bin], own[bin]);
}

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    constexpr int THREADS = 512;
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count_all<THREADS><<<(count + 16383) / 16384, THREADS, 256 * sizeof(unsigned)>>>(bins, values, count);
}
