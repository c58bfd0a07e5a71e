// Half precision: a scaled sum of vectors and a dot product, both exact, since their inputs are small whole numbers.

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int threads = 256;

__global__ void scaledSum(const __half2* x, const __half2* y, __half2* out, __half scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hfma2(__half2half2(scale), x[i], y[i]);
}

__global__ void dot(const __half2* x, const __half2* y, float* out, int n) {
    __shared__ __half2 partial[threads];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? __hmul2(x[i], y[i]) : __float2half2_rn(0);
    __syncthreads();
    for (int s = threads / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) partial[threadIdx.x] = __hadd2(partial[threadIdx.x], partial[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, __low2float(partial[0]) + __high2float(partial[0]));
}

// One half a lane, 2 bytes apart, down the columns of a matrix.
__global__ void columnMaxima(const __half* matrix, __half* out, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    __half most = matrix[column];
    for (int row = 1; row < rows; ++row) most = __hmax(most, matrix[row * columns + column]);
    out[column] = most;
}

int main() {
    const int pairs = 5000, n = 2 * pairs, rows = 50, columns = n / rows;
    std::mt19937 random(1);
    std::vector<__half> x(n), y(n);
    for (auto* v : {&x, &y})
        for (__half& h : *v) h = __float2half(static_cast<float>(static_cast<int>(random() % 5) - 2));
    const DeviceArray<__half> dx(x), dy(y), dsum(n), dmost(columns);
    const DeviceArray<float> ddot(std::vector<float>(1));
    const auto *x2 = reinterpret_cast<const __half2*>(dx.data), *y2 = reinterpret_cast<const __half2*>(dy.data);
    const int blocks = (pairs + threads - 1) / threads;
    scaledSum<<<blocks, threads>>>(x2, y2, reinterpret_cast<__half2*>(dsum.data), __float2half(3), pairs);
    dot<<<blocks, threads>>>(x2, y2, ddot, pairs);
    columnMaxima<<<2, 100>>>(dx, dmost, rows, columns);
    const std::vector<__half> sum = dsum.host(), most = dmost.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int errors = 0;
    float wanted = 0;
    for (int i = 0; i < n; ++i) {
        wanted += __half2float(x[i]) * __half2float(y[i]);
        errors += __half2float(sum[i]) != 3 * __half2float(x[i]) + __half2float(y[i]);
    }
    errors += ddot.host()[0] != wanted;
    for (int column = 0; column < columns; ++column) {
        float best = __half2float(x[column]);
        for (int row = 1; row < rows; ++row) best = std::max(best, __half2float(x[row * columns + column]));
        errors += __half2float(most[column]) != best;
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
