// Right: a block is one row of threads. The tile is turned when it is filled, and has zeros where the matrix ends.

#include <cuda_runtime.h>

namespace {
enum { side = 32, threads = 128 };

struct matrix_view {
    const double* from;
    int pitch, rows;
    __device__ bool has(int row, int column) const { return row < rows && column < pitch; }
    __device__ const double& at(int row, int column) const { return from[static_cast<size_t>(row) * pitch + column]; }
};
}

template <int pitch> __global__ __launch_bounds__(threads) void turn_over(double* __restrict__ out, matrix_view in)
{
    extern __shared__ double buffer[];
    const int top = blockIdx.x * side, left = blockIdx.y * side;
    for (unsigned i = threadIdx.x; i < side * side; i += threads) {
        const int r = i >> 5, c = i & 31;
        buffer[c * pitch + r] = in.has(top + r, left + c) ? in.at(top + r, left + c) : 0.0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < side * side; i += threads) {
        const int r = i >> 5, c = i & 31;
        if (in.has(top + c, left + r))
            out[static_cast<size_t>(left + r) * in.rows + top + c] = buffer[r * pitch + c];
    }
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    const dim3 grid((height + side - 1) / side, (width + side - 1) / side);
    turn_over<33><<<grid, threads, side * 33 * sizeof(double)>>>(output, matrix_view{input, width, height});
}
