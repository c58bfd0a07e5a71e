// Asynchronous copies through the libraries: cuda::barrier, cuda::pipeline, cuda::memcpy_async and cooperative groups.
// The exit code is 0 if all results are right.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>

#include "checked_array.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int THREADS = 128;

__global__ void barrier_phases(int* to) {
    __shared__ Barrier barrier;
    __shared__ int values[THREADS];
    if (threadIdx.x == 0) init(&barrier, THREADS);
    __syncthreads();
    int value = threadIdx.x;
    for (int i = 0; i < 5; ++i) {
        values[threadIdx.x] = value;
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
        value = values[(threadIdx.x + 37) % THREADS];
        barrier.arrive_and_wait();
    }
    to[threadIdx.x] = value;
}

/// Warps leave one after another.
__global__ void barrier_drop(int* to) {
    __shared__ Barrier barrier;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&barrier, THREADS);
        sum = 0;
    }
    __syncthreads();
    const int warp = threadIdx.x / 32;
    for (int i = 0; i < 4; ++i) {
        atomicAdd(&sum, 1);
        if (i == warp) {
            barrier.arrive_and_drop();
            return;
        }
        barrier.arrive_and_wait();
    }
}

__global__ void barrier_drop_sum(int* to) {
    __shared__ Barrier barrier;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&barrier, THREADS);
        sum = 0;
    }
    __syncthreads();
    const int warp = threadIdx.x / 32;
    for (int i = 0; i < warp; ++i) {
        atomicAdd(&sum, 1);
        barrier.arrive_and_wait();
    }
    atomicAdd(&sum, 1);
    if (warp < 3) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    to[threadIdx.x] = sum;
}

__global__ void copy_with_barrier(const int* from, int* to) {
    __shared__ alignas(16) int tile[4 * THREADS];
    __shared__ Barrier barrier;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, THREADS);
    block.sync();
    cuda::memcpy_async(block, tile, from, cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < 4 * THREADS; i += THREADS) to[i] = tile[4 * THREADS - 1 - i];
}

__global__ void copy_each_with_barrier(const int* from, int* to) {
    __shared__ alignas(16) int tile[4 * THREADS];
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, THREADS);
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        cuda::memcpy_async(&tile[i * THREADS + threadIdx.x], &from[i * THREADS + threadIdx.x], sizeof(int), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < 4 * THREADS; i += THREADS) to[i] = tile[4 * THREADS - 1 - i];
}

__global__ void copy_in_groups(const int* from, int* to) {
    extern __shared__ int4 dynamic[];
    int* tile = reinterpret_cast<int*>(dynamic);
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, from, sizeof(int) * 2 * THREADS);
    cg::memcpy_async(block, tile + 2 * THREADS, from + 2 * THREADS, cuda::aligned_size_t<16>(sizeof(int) * 2 * THREADS));
    cg::wait_prior<1>(block);
    const int first = tile[2 * THREADS - 1 - threadIdx.x];
    cg::wait(block);
    to[threadIdx.x] = first + tile[4 * THREADS - 1 - threadIdx.x];
}

/// Sums tiles that are copied ahead, in as many stages as the pipeline has.
__global__ void pipeline_of_block(const int* from, int* to, int tiles) {
    constexpr int STAGES = 3;
    __shared__ alignas(16) int tile[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0, fetched = 0;
    for (int i = 0; i < tiles; ++i) {
        for (; fetched < tiles && fetched < i + STAGES; ++fetched) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % STAGES], from + fetched * THREADS, cuda::aligned_size_t<16>(sizeof tile[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[i % STAGES][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    to[threadIdx.x] = sum;
}

/// The first warp copies and the others add up.
__global__ void pipeline_with_roles(const int* from, int* to, int tiles) {
    constexpr int STAGES = 2, CONSUMERS = 96;
    __shared__ alignas(16) int tile[STAGES][CONSUMERS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    const bool produces = threadIdx.x < 32;
    auto pipeline = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (produces) {
            pipeline.producer_acquire();
            for (int k = threadIdx.x; k < CONSUMERS; k += 32)
                cuda::memcpy_async(&tile[i % STAGES][k], &from[i * CONSUMERS + k], cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            sum += tile[i % STAGES][CONSUMERS - 1 - (threadIdx.x - 32)];
            pipeline.consumer_release();
        }
    }
    if (!produces) to[threadIdx.x - 32] = sum;
}

__global__ void pipeline_of_thread(const int* from, int* to, int tiles) {
    constexpr int STAGES = 2;
    __shared__ int tile[STAGES][THREADS];
    auto pipeline = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i < tiles + STAGES - 1; ++i) {
        if (i < tiles) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[i % STAGES][threadIdx.x], &from[i * THREADS + threadIdx.x], sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        if (i < STAGES - 1) continue;
        if (i < tiles) cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipeline);
        else cuda::pipeline_consumer_wait_prior<0>(pipeline);
        sum += tile[(i - STAGES + 1) % STAGES][threadIdx.x];
        pipeline.consumer_release();
    }
    to[threadIdx.x] = sum;
}

int main() {
    constexpr int COUNT = 4096;
    std::vector<int> values(COUNT);
    for (int i = 0; i < COUNT; ++i) values[i] = 3 * i + 5;
    const DeviceArray<int> from(values);
    DeviceArray<int> to(COUNT);
    int failures = 0;
    const auto check = [&](const char* what, int first, int end, auto expected) { failures += !::check(what, to, first, end, expected); };
    barrier_phases<<<1, THREADS>>>(to);
    check("barrier", 0, THREADS, [](int i) { return (i + 5 * 37) % THREADS; });
    barrier_drop<<<1, THREADS>>>(to);
    check("barrier, drop", 0, 0, [](int) { return 0; });
    barrier_drop_sum<<<1, THREADS>>>(to);
    check("barrier, drop, sum", 96, THREADS, [](int) { return 32 * (1 + 2 + 3 + 4); });
    const auto reversed = [&](int i) { return values[4 * THREADS - 1 - i]; };
    copy_with_barrier<<<1, THREADS>>>(from, to);
    check("memcpy_async of a block", 0, 4 * THREADS, reversed);
    copy_each_with_barrier<<<1, THREADS>>>(from, to);
    check("memcpy_async of threads", 0, 4 * THREADS, reversed);
    copy_in_groups<<<1, THREADS, 4 * 4 * THREADS>>>(from, to);
    check("memcpy_async of cooperative groups", 0, THREADS,
          [&](int i) { return values[2 * THREADS - 1 - i] + values[4 * THREADS - 1 - i]; });
    const auto sum_of = [&](int tiles, int width, bool reverses) {
        return [&values, tiles, width, reverses](int i) {
            int sum = 0;
            for (int tile = 0; tile < tiles; ++tile) sum += values[tile * width + (reverses ? width - 1 - i : i)];
            return sum;
        };
    };
    for (const int tiles : {1, 2, 9}) {
        pipeline_of_block<<<1, THREADS>>>(from, to, tiles);
        check("pipeline of a block", 0, THREADS, sum_of(tiles, THREADS, true));
        pipeline_with_roles<<<1, THREADS>>>(from, to, tiles);
        check("pipeline with roles", 0, 96, sum_of(tiles, 96, true));
        pipeline_of_thread<<<1, THREADS>>>(from, to, tiles);
        check("pipeline of threads", 0, THREADS, sum_of(tiles, THREADS, false));
    }
    return failures != 0;
}
