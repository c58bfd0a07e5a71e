// Sums an array three ways: in shared memory, with shuffles, and with cooperative groups.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void sumShared(const int* in, int* out, int n) {
    extern __shared__ int sdata[];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(out, sdata[0]);
}

__inline__ __device__ int warpSum(int value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sumShuffles(const int* in, int* out, int n) {
    static __shared__ int partial[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = warpSum(sum);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? partial[lane] : 0;
    if (warp == 0) sum = warpSum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

__device__ int groupSum(cg::thread_group g, int* temp, int val) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i) val += temp[lane + i];
        g.sync();
    }
    return val;
}

__global__ void sumGroup(const int* in, int* out, int n) {
    extern __shared__ int temp[];
    cg::thread_block block = cg::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = groupSum(block, temp, i < n ? in[i] : 0);
    if (block.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void sumTiles(const int4* in, int* out, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n / 4; i += gridDim.x * block.size()) {
        int4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = cg::reduce(tile, sum, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

int main() {
    const int n = 10000, threads = 256, blocks = (n + threads - 1) / threads;
    std::vector<int> h(n);
    int expected = 0;
    for (int i = 0; i < n; ++i) expected += h[i] = (i * 37) % 101 - 50;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    int failures = 0;
    auto check = [&](const char* name) {
        int sum = 0;
        cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
        printf("%s: %d\n", name, sum);
        failures += sum != expected;
        cudaMemset(out, 0, sizeof(int));
    };
    cudaMemset(out, 0, sizeof(int));
    sumShared<<<blocks, threads, threads * sizeof(int)>>>(in, out, n);
    check("shared memory");
    sumShuffles<<<8, threads>>>(in, out, n);
    check("shuffles");
    sumGroup<<<blocks, threads, threads * sizeof(int)>>>(in, out, n);
    check("thread_group");
    sumTiles<<<8, threads>>>(reinterpret_cast<const int4*>(in), out, n);
    check("tiles");
    cudaFree(in);
    cudaFree(out);
    return failures;
}
