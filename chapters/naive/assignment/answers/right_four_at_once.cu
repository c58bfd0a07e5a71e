// Right: loads a float4 where the alignment of a row permits, and single elements before and behind.

#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ float add_up(float4 four) { return (four.x + four.y) + (four.z + four.w); }

extern "C" __global__ void sum_row(float* __restrict__ sums, const float* __restrict__ matrix, int width)
{
    const float* row = matrix + size_t(blockIdx.x) * width;
    const int lane = threadIdx.x;
    const int head = min(width, int(-(reinterpret_cast<std::uintptr_t>(row) / 4) % 4)), fours = (width - head) / 4;

    float sum = lane < head ? row[lane] : 0.0f;
    const auto each = [=](auto of) { return of(reinterpret_cast<const float4*>(row + head)); };
    sum += each([=](const float4* body) {
        float own = 0;
        for (int i = lane; i < fours; i += 32)
            own += add_up(__ldg(body + i));
        return own;
    });
    const int tail = head + 4 * fours + lane;
    if (tail < width)
        sum += row[tail];

    for (int offset : {16, 8, 4, 2, 1})
        sum += __shfl_xor_sync(~0u, sum, offset);
    if (lane == 0)
        sums[blockIdx.x] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    sum_row<<<height, 32>>>(sums, matrix, width);
}
