// Right: each warp has bins of its own, and lambdas go through the bytes.

#include <cstdint>
#include <cuda_runtime.h>

namespace {

constexpr int WARPS = 8, LOADS = 5, PIECE = WARPS * 32 * LOADS;

template <class Function> __device__ __forceinline__ void for_each_byte(uint4 wide, Function function)
{
    for (unsigned word : {wide.x, wide.y, wide.z, wide.w})
        for (int shift = 0; shift < 32; shift += 8)
            function(word >> shift & 0xff);
}

__global__ void __launch_bounds__(WARPS * 32) count_by_warps(unsigned* bins, const unsigned char* values, int count)
{
    __shared__ unsigned all[WARPS][256];
    const int thread = threadIdx.x, warp = thread / 32;
    for (int i = thread; i < WARPS * 256; i += WARPS * 32)
        all[i / 256][i % 256] = 0;
    __syncthreads();
    const auto add = [&](unsigned value) { atomicAdd(&all[warp][value], 1); };

    const int head = min(count, int((16 - reinterpret_cast<std::uintptr_t>(values) % 16) % 16)), wides = (count - head) / 16;
    const uint4* body = reinterpret_cast<const uint4*>(values + head);
#pragma unroll
    for (int load = 0; load < LOADS; load++) {
        const int i = blockIdx.x * PIECE + load * WARPS * 32 + thread;
        if (i < wides)
            for_each_byte(body[i], add);
    }
    if (blockIdx.x == 0) {
        const int tail = head + wides * 16;
        if (thread < head + count - tail)
            add(values[thread < head ? thread : tail + thread - head]);
    }
    __syncthreads();

    unsigned sum = 0;
    for (int i = 0; i < WARPS; i++)
        sum += all[i][thread];
    if (sum)
        atomicAdd(bins + thread, sum);
}

}  // namespace

void histogram(unsigned* bins, const unsigned char* values, int count)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof *bins);
    count_by_warps<<<count / (16 * PIECE) + 1, WARPS * 32>>>(bins, values, count);
}
