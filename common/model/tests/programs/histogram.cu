// Counts bytes: each block in shared memory, then all blocks together.

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#define NUM_BINS 256

__device__ unsigned int totalCounted;

__global__ void histogram(const unsigned char* data, size_t n, unsigned int* bins) {
    __shared__ unsigned int local[NUM_BINS];
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();

    unsigned counted = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(&local[data[i]], 1u);
        ++counted;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x)
        if (local[i] > 0) atomicAdd(bins + i, local[i]);
    atomicAdd(&totalCounted, counted);
}

int main() {
    std::mt19937 random(7);
    std::vector<unsigned char> data(20011);
    for (auto& byte : data) byte = static_cast<unsigned char>(random() & random());
    std::vector<unsigned> expected(NUM_BINS), bins(NUM_BINS);
    for (auto byte : data) ++expected[byte];

    unsigned char* dData;
    unsigned* dBins;
    cudaMalloc(&dData, data.size());
    cudaMalloc(&dBins, NUM_BINS * sizeof(unsigned));
    cudaMemcpy(dData, data.data(), data.size(), cudaMemcpyHostToDevice);
    cudaMemset(dBins, 0, NUM_BINS * sizeof(unsigned));
    histogram<<<7, 128>>>(dData, data.size(), dBins);
    cudaMemcpy(bins.data(), dBins, NUM_BINS * sizeof(unsigned), cudaMemcpyDeviceToHost);
    unsigned total = 0;
    if (cudaMemcpyFromSymbol(&total, totalCounted, sizeof total) != cudaSuccess) return 2;
    printf("%u bytes counted\n", total);
    cudaFree(dData);
    cudaFree(dBins);
    return bins == expected && total == data.size() ? 0 : 1;
}
