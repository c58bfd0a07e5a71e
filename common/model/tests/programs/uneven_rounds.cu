// A loop in which each thread of a block takes every 128th number. Where the lanes of a warp have different numbers of rounds, the
// machine code sends them through separate loops.

#include <cstdio>
#include <random>
#include <vector>

constexpr int threads = 128, most = 2048;

__global__ void scale(float* numbers, int n, float factor) {
    __shared__ float kept[most];
    for (int i = threadIdx.x; i < n; i += threads) kept[i] = numbers[i];
    for (int i = threadIdx.x; i < n; i += threads) kept[i] *= factor;
    for (int i = threadIdx.x; i < n; i += threads) numbers[i] = kept[i];
}

int main() {
    std::mt19937 random(8);
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<float> before(most), after(most);
    for (float& value : before) value = number(random);
    float* numbers;
    cudaMalloc(&numbers, sizeof(float) * most);
    int errors = 0;
    for (const int n : {1024, 1000, 2048, 1919, 31}) {
        cudaMemcpy(numbers, before.data(), sizeof(float) * most, cudaMemcpyHostToDevice);
        scale<<<1, threads>>>(numbers, n, 3);
        cudaMemcpy(after.data(), numbers, sizeof(float) * most, cudaMemcpyDeviceToHost);
        for (int i = 0; i < most; ++i) errors += after[i] != (i < n ? before[i] * 3 : before[i]);
    }
    std::printf("%d errors\n", errors);
    return errors != 0 || cudaFree(numbers) != cudaSuccess;
}
