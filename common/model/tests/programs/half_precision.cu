// Half precision: a scaled sum of vectors and a dot product, both exact, since their inputs are small whole numbers.

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

constexpr int threads = 256;

__global__ void scaledSum(const __half2* x, const __half2* y, __half2* out, __half scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hfma2(__half2half2(scale), x[i], y[i]);
}

__global__ void dot(const __half2* x, const __half2* y, float* out, int n)
{
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
__global__ void columnMaxima(const __half* matrix, __half* out, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    __half most = matrix[column];
    for (int row = 1; row < rows; ++row) most = __hmax(most, matrix[row * columns + column]);
    out[column] = most;
}

int main()
{
    const int pairs = 5000, n = 2 * pairs, rows = 50, columns = n / rows;
    std::mt19937 random(1);
    std::vector<__half> x(n), y(n), sum(n), most(columns);
    for (auto* v : {&x, &y})
        for (__half& h : *v) h = __float2half(static_cast<float>(static_cast<int>(random() % 5) - 2));
    __half *dx, *dy, *dsum, *dmost;
    float *ddot, product = 0;
    cudaMalloc(&dx, 2 * n);
    cudaMalloc(&dy, 2 * n);
    cudaMalloc(&dsum, 2 * n);
    cudaMalloc(&dmost, 2 * columns);
    cudaMalloc(&ddot, sizeof(float));
    cudaMemcpy(dx, x.data(), 2 * n, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), 2 * n, cudaMemcpyHostToDevice);
    cudaMemset(ddot, 0, sizeof(float));
    const auto *x2 = reinterpret_cast<const __half2*>(dx), *y2 = reinterpret_cast<const __half2*>(dy);
    const int blocks = (pairs + threads - 1) / threads;
    scaledSum<<<blocks, threads>>>(x2, y2, reinterpret_cast<__half2*>(dsum), __float2half(3), pairs);
    dot<<<blocks, threads>>>(x2, y2, ddot, pairs);
    columnMaxima<<<2, 100>>>(dx, dmost, rows, columns);
    cudaMemcpy(sum.data(), dsum, 2 * n, cudaMemcpyDeviceToHost);
    cudaMemcpy(most.data(), dmost, 2 * columns, cudaMemcpyDeviceToHost);
    cudaMemcpy(&product, ddot, sizeof(float), cudaMemcpyDeviceToHost);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int errors = 0;
    float wanted = 0;
    for (int i = 0; i < n; ++i) {
        wanted += __half2float(x[i]) * __half2float(y[i]);
        errors += __half2float(sum[i]) != 3 * __half2float(x[i]) + __half2float(y[i]);
    }
    errors += product != wanted;
    for (int column = 0; column < columns; ++column) {
        float best = __half2float(x[column]);
        for (int row = 1; row < rows; ++row) best = std::max(best, __half2float(x[row * columns + column]));
        errors += __half2float(most[column]) != best;
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
