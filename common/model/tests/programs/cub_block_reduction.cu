// CUB's collectives of a block: loads that are exchanged, sums by shuffles and by raking, a prefix sum, a radix sort.

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#include <algorithm>
#include <cstdio>
#include <random>

#include "../device_array.cuh"

constexpr int threads = 128, items = 4, tile = threads * items;

template <cub::BlockReduceAlgorithm algorithm> __global__ void blockSum(const int* in, int* out) {
    using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Reduce = cub::BlockReduce<int, threads, algorithm>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Reduce::TempStorage reduce;
    } shared;
    int values[items];
    Load(shared.load).Load(in + blockIdx.x * tile, values);
    __syncthreads();
    const int sum = Reduce(shared.reduce).Sum(values);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void blockScan(const int* in, int* out) {
    using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_VECTORIZE>;
    using Scan = cub::BlockScan<int, threads>;
    using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } shared;
    int values[items];
    Load(shared.load).Load(in + blockIdx.x * tile, values);
    Scan(shared.scan).InclusiveSum(values, values);
    __syncthreads();
    Store(shared.store).Store(out + blockIdx.x * tile, values);
}

__global__ void blockSort(const int* in, int* out) {
    using Sort = cub::BlockRadixSort<int, threads, items>;
    __shared__ typename Sort::TempStorage shared;
    int values[items];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * tile, values);
    Sort(shared).SortBlockedToStriped(values);
    cub::StoreDirectStriped<threads>(threadIdx.x, out + blockIdx.x * tile, values);
}

int main() {
    constexpr int blocks = 6, n = blocks * tile;
    std::mt19937 random(8);
    std::vector<int> in(n);
    for (int& v : in) v = static_cast<int>(random() % 200001) - 100000;
    const DeviceArray<int> din(in), dsums(2 * blocks), dscanned(n), dsorted(n);
    blockSum<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<blocks, threads>>>(din, dsums);
    blockSum<cub::BLOCK_REDUCE_RAKING><<<blocks, threads>>>(din, dsums + blocks);
    blockScan<<<blocks, threads>>>(din, dscanned);
    blockSort<<<blocks, threads>>>(din, dsorted);
    const std::vector<int> sums = dsums.host(), scanned = dscanned.host(), sorted = dsorted.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int errors = 0;
    for (int block = 0; block < blocks; ++block) {
        int sum = 0;
        for (int i = block * tile; i < (block + 1) * tile; ++i) errors += scanned[i] != (sum += in[i]);
        errors += sums[block] != sum;
        errors += sums[blocks + block] != sum;
        std::sort(in.begin() + block * tile, in.begin() + (block + 1) * tile);
    }
    errors += sorted != in;
    std::printf("%d errors\n", errors);
    return errors != 0;
}
