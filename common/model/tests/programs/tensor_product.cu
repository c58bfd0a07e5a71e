// A matrix product of tensor cores: tiles in shared memory, with padding and without, fragments by ldmatrix, mma.sync.

#include <cuda_fp16.h>

#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int n = 64, depth = 32;

__device__ unsigned sharedAddress(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Four warps compute 64 rows and 64 columns; each has 16 rows.
template <int padding> __global__ void product(const __half* a, const __half* b, float* c) {
    __shared__ alignas(16) __half rowsOfA[n][depth + padding], rowsOfB[depth][n + padding];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum[n / 8][4] = {};
    for (int first = 0; first < n; first += depth) {
        for (int i = threadIdx.x; i < n * depth / 8; i += blockDim.x) {
            const int row = i / (depth / 8), column = i % (depth / 8) * 8;
            *reinterpret_cast<uint4*>(&rowsOfA[row][column]) = *reinterpret_cast<const uint4*>(&a[row * n + first + column]);
        }
        for (int i = threadIdx.x; i < depth * n / 8; i += blockDim.x) {
            const int row = i / (n / 8), column = i % (n / 8) * 8;
            *reinterpret_cast<uint4*>(&rowsOfB[row][column]) = *reinterpret_cast<const uint4*>(&b[(first + row) * n + column]);
        }
        __syncthreads();
        for (int k = 0; k < depth; k += 16) {
            unsigned x[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                         : "r"(sharedAddress(&rowsOfA[16 * warp + lane % 16][k + lane / 16 * 8])));
            for (int column = 0; column < n / 8; ++column) {
                unsigned y[2];
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                             : "=r"(y[0]), "=r"(y[1])
                             : "r"(sharedAddress(&rowsOfB[k + lane % 16][8 * column])));
                float* d = sum[column];
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
            }
        }
        __syncthreads();
    }
    for (int column = 0; column < n / 8; ++column)
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<float2*>(&c[(16 * warp + lane / 4 + 8 * half) * n + 8 * column + lane % 4 * 2]) = {sum[column][2 * half],
                                                                                                                 sum[column][2 * half + 1]};
}

int main() {
    std::mt19937 random(4);
    std::vector<__half> a(n * n), b(n * n);
    for (auto* m : {&a, &b})
        for (__half& v : *m) v = __float2half(static_cast<float>(static_cast<int>(random() % 17) - 8));
    const DeviceArray<__half> da(a), db(b);
    DeviceArray<float> dc(n * n);
    int errors = 0;
    const auto check = [&] {
        const std::vector<float> c = dc.host();
        errors += cudaDeviceSynchronize() != cudaSuccess;
        for (int row = 0; row < n; ++row)
            for (int column = 0; column < n; ++column) {
                float sum = 0;
                for (int k = 0; k < n; ++k) sum += __half2float(a[row * n + k]) * __half2float(b[k * n + column]);
                errors += c[row * n + column] != sum;
            }
        dc.fill(0xFF);
    };
    product<0><<<1, 128>>>(da, db, dc);
    check();
    product<8><<<1, 128>>>(da, db, dc);
    check();
    std::printf("%d errors\n", errors);
    return errors != 0;
}
