// Asynchronous copies from global to shared memory: of 16 and of 4 bytes a thread, in a pipeline and of a whole block.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline_primitives.h>
#include <cuda/pipeline>

#include <cstdio>
#include <random>

#include "../device_array.cuh"

namespace cg = cooperative_groups;

constexpr int threads = 128, tile = 4 * threads;

// Sums the tiles of a block while the next tile is being copied.
__global__ void sumTiles(const int4* in, int4* out, int tiles) {
    __shared__ int4 buffer[2][threads];
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    const int4* from = in + static_cast<std::size_t>(blockIdx.x) * tiles * threads;
    pipeline.producer_acquire();
    cuda::memcpy_async(&buffer[0][threadIdx.x], from + threadIdx.x, cuda::aligned_size_t<16>(16), pipeline);
    pipeline.producer_commit();
    int4 sum{};
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&buffer[(t + 1) % 2][threadIdx.x], from + (t + 1) * threads + threadIdx.x, cuda::aligned_size_t<16>(16),
                               pipeline);
            pipeline.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipeline);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipeline);
        }
        __syncthreads();
        const int4 other = buffer[t % 2][threads - 1 - threadIdx.x];
        sum.x += other.x;
        sum.y += 2 * other.y;
        sum.z += 3 * other.z;
        sum.w += 4 * other.w;
        __syncthreads();
        pipeline.consumer_release();
    }
    out[blockIdx.x * threads + threadIdx.x] = sum;
}

// Gathers words into a matrix of 33 columns, and writes its columns as rows.
__global__ void transposeWords(const int* in, int* out) {
    __shared__ int words[32][33];
    for (int row = threadIdx.y; row < 32; row += blockDim.y)
        __pipeline_memcpy_async(&words[row][threadIdx.x], &in[(blockIdx.x * 32 + row) * 32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += blockDim.y) out[(blockIdx.x * 32 + row) * 32 + threadIdx.x] = words[threadIdx.x][row];
}

// The same by a block that copies together.
__global__ void reverseBlock(const int4* in, int* out) {
    __shared__ alignas(16) int words[tile];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, reinterpret_cast<int4*>(words), in + blockIdx.x * threads, cuda::aligned_size_t<16>(sizeof words));
    cg::wait(block);
    for (int i = threadIdx.x; i < tile; i += threads) out[blockIdx.x * tile + i] = words[tile - 1 - i];
}

int main() {
    constexpr int blocks = 4, tiles = 5, n = blocks * tiles * tile;
    std::mt19937 random(3);
    std::vector<int> in(n);
    for (int& v : in) v = static_cast<int>(random() % 10000);
    const DeviceArray<int> din(in), dsums(blocks * tile), dturned(blocks * 1024), dreversed(blocks * tile);
    sumTiles<<<blocks, threads>>>(reinterpret_cast<const int4*>(din.data), reinterpret_cast<int4*>(dsums.data), tiles);
    transposeWords<<<blocks, dim3(32, 8)>>>(din, dturned);
    reverseBlock<<<blocks, threads>>>(reinterpret_cast<const int4*>(din.data), dreversed);
    const std::vector<int> sums = dsums.host(), turned = dturned.host(), reversed = dreversed.host();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int errors = 0;
    for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < tile; ++i) {
            int sum = 0;
            for (int t = 0; t < tiles; ++t) sum += (i % 4 + 1) * in[((block * tiles + t) * threads + threads - 1 - i / 4) * 4 + i % 4];
            errors += sums[block * tile + i] != sum;
            errors += reversed[block * tile + i] != in[block * tile + tile - 1 - i];
        }
        for (int i = 0; i < 1024; ++i) errors += turned[block * 1024 + i] != in[block * 1024 + i % 32 * 32 + i / 32];
    }
    std::printf("%d errors\n", errors);
    return errors != 0;
}
