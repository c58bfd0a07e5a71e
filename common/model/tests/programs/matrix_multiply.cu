// Multiplies matrices tile by tile in shared memory.

#include <iostream>
#include <vector>

template <int TILE>
__global__ void multiply(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int rows, int inner,
                         int columns) {
    __shared__ float aTile[TILE][TILE], bTile[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < inner; start += TILE) {
        aTile[threadIdx.y][threadIdx.x] = row < rows && start + threadIdx.x < inner ? __ldg(&a[row * inner + start + threadIdx.x]) : 0.0f;
        bTile[threadIdx.y][threadIdx.x] =
            column < columns && start + threadIdx.y < inner ? b[(start + threadIdx.y) * columns + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum = __fmaf_rn(aTile[threadIdx.y][k], bTile[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
    constexpr int rows = 50, inner = 37, columns = 41, tile = 16;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(i * 7 % 11) - 5;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = float(i * 5 % 13) - 6;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    multiply<tile><<<dim3((columns + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, tile)>>>(dC, dA, dB, rows, inner, columns);
    if (cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;

    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float sum = 0;
            for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            if (c[i * columns + j] != sum) {
                std::cerr << "wrong at " << i << ", " << j << ": " << c[i * columns + j] << " instead of " << sum << "\n";
                return 1;
            }
        }
    cudaFree(dA), cudaFree(dB), cudaFree(dC);
    std::cout << "matrix product is right\n";
}
