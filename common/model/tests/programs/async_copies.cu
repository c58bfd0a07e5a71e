// cp.async by its own instructions: sizes, filling with zeros, groups, and arrival at an mbarrier. The exit code is 0 if all results are right.

#include <cstdint>

#include "checked_array.cuh"

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

template <int BYTES> __device__ void copy_async(void* to, const void* from, int from_bytes = BYTES) {
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(from_bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(BYTES), "r"(from_bytes)
                     : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int OPEN> __device__ void wait_for_groups() { asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory"); }

template <int BYTES> __global__ void copy_parts(const int* from, int* to, int from_bytes) {
    __shared__ alignas(16) int tile[128 * BYTES / 4];
    const int i = threadIdx.x * (BYTES / 4);
    copy_async<BYTES>(&tile[i], &from[i], from_bytes);
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int k = 0; k < BYTES / 4; ++k) to[i + k] = tile[i + k];
}

/// Each stage is read after its own group has been waited for.
__global__ void pipeline_of_groups(const float4* from, float4* to, int tiles) {
    constexpr int STAGES = 4;
    __shared__ float4 stage[STAGES][64];
    const int t = threadIdx.x;
    for (int i = 0; i < STAGES - 1; ++i) {
        if (i < tiles) copy_async<16>(&stage[i][t], &from[i * 64 + t]);
        commit();
    }
    for (int i = 0; i < tiles; ++i) {
        wait_for_groups<STAGES - 2>();
        __syncthreads();
        const int next = i + STAGES - 1;
        if (next < tiles) copy_async<16>(&stage[next % STAGES][t], &from[next * 64 + t]);
        commit();
        to[i * 64 + t] = stage[i % STAGES][63 - t];
    }
}

/// The copies themselves arrive at the barrier.
__global__ void arrive_at_barrier(const int* from, int* to, bool counted) {
    __shared__ int tile[96];
    __shared__ std::uint64_t barrier;
    const unsigned address = shared_address(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(96) : "memory");
    __syncthreads();
    copy_async<4>(&tile[threadIdx.x], &from[threadIdx.x]);
    if (counted) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
    } else {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address) : "memory");
        asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(address) : "memory");
    }
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(address)
                     : "memory");
    to[threadIdx.x] = tile[95 - threadIdx.x];
}

__global__ void ignore_source(const int* from, int* to) {
    __shared__ int tile[64];
    const int ignored = threadIdx.x % 3 == 0;
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p;}" ::"r"(shared_address(&tile[threadIdx.x])),
        "l"(ignored ? nullptr : &from[threadIdx.x]), "r"(ignored)
        : "memory");
    commit();
    wait_for_groups<0>();
    to[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    constexpr int COUNT = 4096;
    std::vector<int> values(COUNT);
    for (int i = 0; i < COUNT; ++i) values[i] = 7 * i + 1;
    const DeviceArray<int> from(values);
    DeviceArray<int> to(COUNT);
    int failures = 0;
    const auto check = [&](const char* what, int count, auto expected) { failures += !::check(what, to, 0, count, expected); };
    copy_parts<4><<<1, 128>>>(from, to, 4);
    check("4 bytes", 128, [&](int i) { return values[i]; });
    copy_parts<8><<<1, 128>>>(from, to, 8);
    check("8 bytes", 256, [&](int i) { return values[i]; });
    copy_parts<16><<<1, 128>>>(from, to, 16);
    check("16 bytes", 512, [&](int i) { return values[i]; });
    copy_parts<16><<<1, 128>>>(from, to, 8);
    check("8 of 16 bytes", 512, [&](int i) { return i % 4 < 2 ? values[i] : 0; });
    copy_parts<16><<<1, 128>>>(from, to, 0);
    check("0 of 16 bytes", 512, [&](int) { return 0; });
    for (const int tiles : {1, 2, 7, 16}) {
        pipeline_of_groups<<<1, 64>>>(reinterpret_cast<const float4*>(from.data), reinterpret_cast<float4*>(to.data), tiles);
        check("pipeline", tiles * 256, [&](int i) { return values[i / 256 * 256 + (63 - i % 256 / 4) * 4 + i % 4]; });
    }
    for (const bool counted : {false, true}) {
        arrive_at_barrier<<<1, 96>>>(from, to, counted);
        check("arrival", 96, [&](int i) { return values[95 - i]; });
    }
    ignore_source<<<1, 64>>>(from, to);
    check("ignored source", 64, [&](int i) { return i % 3 == 0 ? 0 : values[i]; });
    return failures != 0;
}
