// Asynchronous copies into shared memory write until a thread waits for them. A barrier does not end them, only the wait does.

#include <cooperative_groups.h>
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cuda/ptx>
#include <functional>
#include <string>
#include <vector>

#include "model_results.hpp"

namespace lasting_writes {
namespace {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using simt::Hazard;
using simt::HazardKind;

constexpr int threads = 64;
// Functions of cuda::ptx take their numbers by reference, for which a constant of the host does not do.
enum : std::uint32_t { tile_bytes = threads * 4 };

enum class Copy { groups, all, arrival, bulk, tensor };
enum class Wait { before_the_barrier, after_the_access, never };
enum class Access { read, write, issuer_reads, read_elsewhere };

__device__ unsigned address_of(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void wait_for_phase(std::uint64_t* barrier, unsigned parity = 0) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {}
}

/// Each thread copies a word, or thread 0 all words.
__device__ void issue(Copy copy, unsigned* tile, std::uint64_t* barrier, const unsigned* from, const CUtensorMap* map) {
    if (copy <= Copy::arrival)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(tile + threadIdx.x)), "l"(from + threadIdx.x) : "memory");
    if (copy == Copy::groups) asm volatile("cp.async.commit_group;" ::: "memory");
    if (copy == Copy::arrival) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
    if (copy < Copy::bulk || threadIdx.x != 0) return;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, tile_bytes);
    if (copy == Copy::bulk) ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, tile_bytes, barrier);
    else ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, {0}, barrier);
}

__device__ void wait_for(Copy copy, std::uint64_t* barrier) {
    if (copy == Copy::groups) asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (copy == Copy::all) asm volatile("cp.async.wait_all;" ::: "memory");
    if (copy >= Copy::arrival && threadIdx.x == 0) wait_for_phase(barrier);
}

__device__ void access_tile(Access access, unsigned* tile, unsigned* out) {
    const int i = threadIdx.x;
    if (access == Access::read) out[i] = tile[threads - 1 - i];
    if (access == Access::issuer_reads && i == 0) out[i] = tile[i];
    if (access == Access::read_elsewhere) out[i] = tile[threads + i];
    if (access == Access::write) tile[threads - 1 - i] = 7;
}

__global__ void copy_into(Copy copy, Wait wait, Access access, const unsigned* from, const __grid_constant__ CUtensorMap map,
                          unsigned* out) {
    __shared__ __align__(128) unsigned tile[2 * threads];
    __shared__ std::uint64_t barrier;
    tile[threadIdx.x] = tile[threads + threadIdx.x] = 0;
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, copy == Copy::arrival ? threads : 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    issue(copy, tile, &barrier, from, &map);
    if (wait == Wait::before_the_barrier) wait_for(copy, &barrier);
    __syncthreads();
    access_tile(access, tile, out);
    __syncthreads();
    if (wait == Wait::after_the_access) wait_for(copy, &barrier);
}

enum class Remote { bulk, multicast, store, update };
enum class Place { destination, source, second_writer_of_source };

/// The first block copies to the second.
__global__ void __cluster_dims__(2, 1, 1) copy_across(Remote copy, Wait wait, Place place, const unsigned* from, unsigned* out) {
    __shared__ __align__(128) unsigned source[threads], tile[threads];
    __shared__ std::uint64_t barrier, is_read;
    const auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), i = threadIdx.x;
    source[i] = tile[i] = i;
    if (i == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_init(&is_read, 1);
        if (rank == 1 || copy == Remote::multicast)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, tile_bytes);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    unsigned* const to = cluster.map_shared_rank(tile, 1);
    std::uint64_t* const there = cluster.map_shared_rank(&barrier, 1);
    if (rank == 0) {
        if (copy == Remote::bulk && i == 0) ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, source, tile_bytes, there);
        if (copy == Remote::multicast && i == 0)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, tile_bytes, &barrier, std::uint16_t{3});
        if (copy == Remote::store) ptx::st_async(to + i, i + 1, there);
        if (copy == Remote::update) ptx::red_async(ptx::op_add, to + i, i + 1, there);
    }
    // A thread of each block waits; a reader tells the first block, whose other threads then overwrite the source.
    const bool waits = i == 0 && (rank == 1 || copy == Remote::multicast);
    if (waits && wait == Wait::before_the_barrier) wait_for_phase(&barrier);
    if (place == Place::second_writer_of_source) {
        if (rank == 1 && i == 0)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&is_read, 0));
        if (rank == 0 && i >= 32) wait_for_phase(&is_read);
    } else {
        cluster.sync();
    }
    if (place == Place::destination && rank == 1) out[i] = tile[threads - 1 - i];
    if (place != Place::destination && rank == 0 && i >= 32) source[i] = 7;
    cluster.sync();
    if (waits && wait == Wait::after_the_access) wait_for_phase(&barrier);
    cluster.sync();
}

/// The first block copies to the second twice, the second time when a warp there has read the tile.
__global__ void __cluster_dims__(2, 1, 1) copy_twice(unsigned* out) {
    __shared__ __align__(128) unsigned source[threads], tile[threads];
    __shared__ std::uint64_t barrier, is_read;
    const auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), i = threadIdx.x;
    source[i] = i;
    if (i == 0) ptx::mbarrier_init(&barrier, 1), ptx::mbarrier_init(&is_read, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    for (unsigned round = 0; round < 2; ++round) {
        if (rank == 0 && i == 0) {
            if (round == 1) wait_for_phase(&is_read);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(tile, 1), source, tile_bytes,
                               cluster.map_shared_rank(&barrier, 1));
        }
        if (rank == 0 || i < 32) continue;
        if (i == 32) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, tile_bytes);
        wait_for_phase(&barrier, round);
        out[i] = tile[i];
        __syncwarp();
        if (i == 32) ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&is_read, 0));
    }
    cluster.sync();
}

struct Memory {
    unsigned *from, *out;
    CUtensorMap map{};

    Memory() {
        cudaMalloc(&from, tile_bytes);
        cudaMalloc(&out, tile_bytes);
        cudaMemset(from, 1, tile_bytes);
        void* encode = nullptr;
        cudaDriverEntryPointQueryResult found{};
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
        const cuuint64_t size[] = {threads}, stride[] = {0};
        const cuuint32_t box[] = {threads}, step[] = {1};
        EXPECT_EQ(reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
                      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 1, from, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                  CUDA_SUCCESS);
    }
    ~Memory() { cudaFree(from), cudaFree(out); }
};

/// Expects one race with an access that has not ended, or no hazard.
void expect(bool race, const char* message, const std::function<void(Memory&)>& launch) {
    Memory memory;
    model::take_hazards();
    launch(memory);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto hazards = model::take_hazards();
    for (const Hazard& hazard : hazards) {
        EXPECT_EQ(hazard.kind, HazardKind::race);
        EXPECT_NE(hazard.message.text().find(message), std::string::npos) << hazard.message.text();
    }
    EXPECT_EQ(hazards.size(), race ? 1 : 0);
}

template <class... Case> std::string numbers(Case... of) { return ("" + ... + (std::to_string(static_cast<int>(of)) + " ")); }

constexpr Wait waits[] = {Wait::before_the_barrier, Wait::after_the_access, Wait::never};

TEST(LastingWrites, GoOnUntilTheWait) {
    for (const Copy copy : {Copy::groups, Copy::all, Copy::arrival, Copy::bulk, Copy::tensor})
        for (const Wait wait : waits)
            for (const Access access : {Access::read, Access::write, Access::issuer_reads, Access::read_elsewhere}) {
                const testing::ScopedTrace trace(__FILE__, __LINE__, numbers(copy, wait, access));
                const bool race = wait != Wait::before_the_barrier && access != Access::read_elsewhere;
                expect(race, "shared memory that an asynchronous copy writes",
                       [&](Memory& memory) { copy_into<<<1, threads>>>(copy, wait, access, memory.from, memory.map, memory.out); });
            }
}

TEST(LastingWrites, IntoAnotherBlockGoOnUntilItsWait) {
    for (const Remote copy : {Remote::bulk, Remote::multicast, Remote::store, Remote::update})
        for (const Wait wait : waits) {
            const testing::ScopedTrace trace(__FILE__, __LINE__, numbers(copy, wait));
            expect(wait != Wait::before_the_barrier, "shared memory that an asynchronous copy writes",
                   [&](Memory& memory) { copy_across<<<2, threads>>>(copy, wait, Place::destination, memory.from, memory.out); });
        }
}

TEST(LastingWrites, IntoAnotherBlockBeginWhenItHasToldThatItHasRead) {
    expect(false, "", [](Memory& memory) { copy_twice<<<2, threads>>>(memory.out); });
}

TEST(LastingReads, OfACopyToAnotherBlockGoOnUntilItsWait) {
    for (const Place place : {Place::source, Place::second_writer_of_source})
        for (const Wait wait : waits) {
            const testing::ScopedTrace trace(__FILE__, __LINE__, numbers(place, wait));
            expect(wait != Wait::before_the_barrier, "that it has not waited for",
                   [&](Memory& memory) { copy_across<<<2, threads>>>(Remote::bulk, wait, place, memory.from, memory.out); });
        }
}

}  // namespace
}  // namespace lasting_writes
