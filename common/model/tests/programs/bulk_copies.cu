// cp.async.bulk in all directions, reductions, clusters, st.async and red.async, by cuda::ptx. The exit code is 0 if all results are right.

#include <cooperative_groups.h>

#include <cstdint>
#include <cuda/ptx>

#include "checked_array.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
constexpr int THREADS = 128, TILE = 512, CLUSTER = 4;

__device__ void wait(std::uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {}
}

/// Tiles pass through two buffers in both directions; one thread issues all copies.
__global__ void there_and_back(const int* from, int* to, int tiles) {
    __shared__ alignas(128) int in[2][TILE];
    __shared__ alignas(128) int out[2][TILE];
    __shared__ std::uint64_t full[2];
    if (threadIdx.x == 0) {
        for (auto& barrier : full) ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    const auto fetch = [&](int i) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i % 2], sizeof in[0]);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, in[i % 2], from + i * TILE, sizeof in[0], &full[i % 2]);
    };
    if (threadIdx.x == 0) fetch(0);
    for (int i = 0; i < tiles; ++i) {
        if (threadIdx.x == 0 && i + 1 < tiles) fetch(i + 1);
        wait(&full[i % 2], i / 2 % 2);
        for (int k = threadIdx.x; k < TILE; k += THREADS) out[i % 2][k] = in[i % 2][TILE - 1 - k] + 1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + i * TILE, out[i % 2], sizeof out[0]);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
        }
        __syncthreads();
    }
}

__global__ void reduce_to_global(int* to) {
    __shared__ alignas(16) int tile[TILE];
    for (int k = threadIdx.x; k < TILE; k += THREADS) tile[k] = k + blockIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

/// Every block of a cluster sends a quarter to all.
__global__ void __cluster_dims__(CLUSTER) multicast(const int* from, int* to) {
    __shared__ alignas(128) int tile[TILE];
    __shared__ std::uint64_t full;
    auto cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
    cluster.sync();
    constexpr int PART = TILE / CLUSTER;
    // The library has this for sm_90a alone.
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         static_cast<unsigned>(__cvta_generic_to_shared(tile + rank * PART))),
                     "l"(__cvta_generic_to_global(from + rank * PART)), "r"(PART * 4),
                     "r"(static_cast<unsigned>(__cvta_generic_to_shared(&full))), "h"(static_cast<short>((1 << CLUSTER) - 1))
                     : "memory");
    wait(&full, 0);
    for (int k = threadIdx.x; k < TILE; k += THREADS) to[blockIdx.x * TILE + k] = tile[k];
}

/// Blocks pass their tiles around.
__global__ void __cluster_dims__(CLUSTER) to_neighbor(int* to) {
    __shared__ alignas(128) int mine[TILE];
    __shared__ alignas(128) int theirs[TILE];
    __shared__ std::uint64_t full;
    auto cluster = cg::this_cluster();
    const int rank = cluster.block_rank(), next = (rank + 1) % CLUSTER;
    if (threadIdx.x == 0) ptx::mbarrier_init(&full, 1);
    for (int k = threadIdx.x; k < TILE; k += THREADS) mine[k] = 1000 * rank + k;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof mine);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(theirs, next), mine, sizeof mine,
                           cluster.map_shared_rank(&full, next));
    }
    wait(&full, 0);
    cluster.sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof mine);
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, cluster.map_shared_rank(theirs, next), mine,
                                  sizeof mine, cluster.map_shared_rank(&full, next));
    }
    wait(&full, 1);
    for (int k = threadIdx.x; k < TILE; k += THREADS) to[blockIdx.x * TILE + k] = theirs[k];
    cluster.sync();
}

/// Each thread stores a value for the neighbor, then adds to a counter of the neighbor.
__global__ void __cluster_dims__(CLUSTER) remote_values(int* to) {
    __shared__ alignas(16) int values[4 * THREADS];
    __shared__ unsigned counter;
    __shared__ std::uint64_t full, counted;
    auto cluster = cg::this_cluster();
    const int rank = cluster.block_rank(), next = (rank + 1) % CLUSTER;
    if (threadIdx.x == 0) {
        counter = 0;
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&counted, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof values);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &counted, 4 * THREADS);
    }
    cluster.sync();
    const int t = threadIdx.x;
    ptx::st_async(cluster.map_shared_rank(&values[4 * t], next), {t, rank, 2 * t, -t}, cluster.map_shared_rank(&full, next));
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&counter, next), static_cast<unsigned>(t), cluster.map_shared_rank(&counted, next));
    wait(&full, 0);
    wait(&counted, 0);
    to[blockIdx.x * THREADS + t] =
        values[4 * t] + 10000 * values[4 * t + 1] + values[4 * t + 2] + values[4 * t + 3] + 100000 * static_cast<int>(counter);
    cluster.sync();
}

/// Threads of all blocks arrive at the barrier of block 0.
__global__ void __cluster_dims__(CLUSTER) remote_arrivals(int* to) {
    __shared__ std::uint64_t barrier;
    __shared__ int seen;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, CLUSTER * THREADS);
        seen = 0;
    }
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&seen, 0), 1);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&barrier, 0));
    if (cluster.block_rank() == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0, 1000u)) {}
        to[threadIdx.x] = seen;
    }
    cluster.sync();
}

/// Uses the other instructions of the barrier.
__global__ void barrier_instructions(int* to) {
    __shared__ std::uint64_t barrier;
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x != 0) return;
    ptx::mbarrier_init(&barrier, 6);
    const std::uint64_t first = ptx::mbarrier_arrive_no_complete(&barrier, 2u);
    unsigned pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(first));
    to[0] = static_cast<int>(pending);
    const std::uint64_t second = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 3u);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(second));
    to[1] = static_cast<int>(pending);
    to[2] = ptx::mbarrier_test_wait(&barrier, second);
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier, 64);
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(address) : "memory");
    to[3] = ptx::mbarrier_test_wait(&barrier, second);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(address) : "memory");
    to[4] = ptx::mbarrier_test_wait(&barrier, second);
    to[5] = ptx::mbarrier_try_wait(&barrier, second, 100u);
    const std::uint64_t third = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 5u);
    to[6] = ptx::mbarrier_test_wait_parity(&barrier, 1);
    to[7] = ptx::mbarrier_test_wait(&barrier, third);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address) : "memory");
}

int main() {
    constexpr int COUNT = 1 << 14;
    std::vector<int> values(COUNT);
    for (int i = 0; i < COUNT; ++i) values[i] = 7 * i + 1;
    const DeviceArray<int> from(values);
    DeviceArray<int> to(COUNT);
    int failures = 0;
    const auto check = [&](const char* what, int count, auto expected) {
        failures += !::check(what, to, 0, count, expected);
        to.fill(0);
    };
    for (const int tiles : {1, 2, 11}) {
        there_and_back<<<1, THREADS>>>(from, to, tiles);
        check("there and back", tiles * TILE, [&](int i) { return values[i / TILE * TILE + TILE - 1 - i % TILE] + 1; });
    }
    reduce_to_global<<<5, THREADS>>>(to);
    check("reduction", TILE, [](int i) { return 5 * i + 10; });
    multicast<<<2 * CLUSTER, THREADS>>>(from, to);
    check("multicast", 2 * CLUSTER * TILE, [&](int i) { return values[i % TILE]; });
    to_neighbor<<<CLUSTER, THREADS>>>(to);
    check("neighbor", CLUSTER * TILE, [](int i) { return 2 * (1000 * ((i / TILE + CLUSTER - 1) % CLUSTER) + i % TILE); });
    remote_values<<<CLUSTER, THREADS>>>(to);
    check("remote values", CLUSTER * THREADS, [](int i) {
        const int t = i % THREADS, from_rank = (i / THREADS + CLUSTER - 1) % CLUSTER;
        return 2 * t + 10000 * from_rank + 100000 * (THREADS * (THREADS - 1) / 2);
    });
    remote_arrivals<<<CLUSTER, THREADS>>>(to);
    check("remote arrivals", THREADS, [](int) { return CLUSTER * THREADS; });
    barrier_instructions<<<1, 32>>>(to);
    const int expected[] = {6, 4, 0, 0, 1, 1, 1, 1};
    check("barrier instructions", 8, [&](int i) { return expected[i]; });
    return failures != 0;
}
