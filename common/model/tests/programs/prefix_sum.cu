// Prefix sums: within warps by shuffles, across the warps of a block, across blocks by a second kernel.

#include <cstdio>
#include <numeric>
#include <vector>

constexpr unsigned FULL_MASK = 0xffffffff;

__device__ int inclusiveScanOfWarp(int value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(FULL_MASK, value, distance);
        if (lane >= distance) value += left;
    }
    return value;
}

__global__ void scanBlocks(int* data, int* totals, int n) {
    __shared__ int warpTotals[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int value = inclusiveScanOfWarp(i < n ? data[i] : 0, lane);
    if (lane == 31) warpTotals[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int total = lane < blockDim.x / 32 ? warpTotals[lane] : 0;
        total = inclusiveScanOfWarp(total, lane);
        __syncwarp();
        warpTotals[lane] = total;
    }
    __syncthreads();
    if (warp > 0) value += warpTotals[warp - 1];
    if (i < n) data[i] = value;
    if (threadIdx.x == blockDim.x - 1 && totals) totals[blockIdx.x] = value;
}

__global__ void addOffsets(int* data, const int* totals, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) data[i] += totals[blockIdx.x - 1];
}

int main() {
    const int n = 12345, threads = 256, blocks = (n + threads - 1) / threads;
    std::vector<int> values(n), expected(n), result(n);
    for (int i = 0; i < n; ++i) values[i] = i * 71 % 19 - 9;
    std::partial_sum(values.begin(), values.end(), expected.begin());

    int *data, *totals;
    cudaMalloc(&data, n * sizeof(int));
    cudaMalloc(&totals, blocks * sizeof(int));
    cudaMemcpy(data, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scanBlocks<<<blocks, threads>>>(data, totals, n);
    scanBlocks<<<1, threads>>>(totals, nullptr, blocks);
    addOffsets<<<blocks, threads>>>(data, totals, n);
    cudaMemcpy(result.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(totals);
    for (int i = 0; i < n; ++i)
        if (result[i] != expected[i]) {
            printf("wrong at %d: %d instead of %d\n", i, result[i], expected[i]);
            return 1;
        }
    puts("prefix sums are right");
}
