// Right, in C: a thread keeps up to 16 numbers of its row, so that rows of up to 1,024 are read once.

#include <climits>
#include <cuda_runtime.h>

template <int Most> __global__ void subtract_rows(int *out, const int *in, int width)
{
    __shared__ int least[64];
    const int *row = in + (size_t)width * blockIdx.x;
    int *to = out + (size_t)width * blockIdx.x;
    const int pieces = (width + 63) / 64, first = blockIdx.x % pieces;
    int kept[Most], m = INT_MAX;
#pragma unroll
    for (int i = 0; i < Most; i++) {
        int piece = first + i >= pieces ? first + i - pieces : first + i, x = piece * 64 + threadIdx.x;
        kept[i] = i < pieces && x < width ? row[x] : INT_MAX;
        m = min(m, kept[i]);
    }
    for (int i = Most; i < pieces; i++) {
        int x = (first + i) % pieces * 64 + threadIdx.x;
        if (x < width) m = min(m, row[x]);
    }
    least[threadIdx.x] = m;
    for (int half = 32; half; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) least[threadIdx.x] = min(least[threadIdx.x], least[threadIdx.x + half]);
    }
    __syncthreads();
    m = least[0];
#pragma unroll
    for (int i = 0; i < Most; i++) {
        int piece = first + i >= pieces ? first + i - pieces : first + i, x = piece * 64 + threadIdx.x;
        if (i < pieces && x < width) to[x] = kept[i] - m;
    }
    for (int i = Most; i < pieces; i++) {
        int x = (first + i) % pieces * 64 + threadIdx.x;
        if (x < width) to[x] = row[x] - m;
    }
}
void subtract_minimum(int* output, const int* input, int width, int height)
{
    subtract_rows<16><<<height, 64>>>(output, input, width);
}
