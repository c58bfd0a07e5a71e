// One warp, one access other than a plain load or store, many address patterns: atomic operations, asynchronous copies, local
// memory and constant memory. An argument such as "async_copy both" runs only these cases.

#include "feature_patterns.cuh"

#include <cuda_fp16.h>

enum class Atomic {
    add,
    add_without_result,
    count,
    count_with_result,
    wrap,
    compare_and_swap,
    exchange,
    most,
    add_8,
    compare_and_swap_8,
    exchange_8,
    most_8,
    add_float,
    add_float_without_result,
    add_half2
};

template <Atomic operation> __device__ void change(char* address, unsigned* output) {
    auto* word = reinterpret_cast<unsigned*>(address);
    const unsigned value = threadIdx.x + 2;
    if constexpr (operation == Atomic::add) output[threadIdx.x] = atomicAdd(word, value);
    if constexpr (operation == Atomic::add_without_result) atomicAdd(word, value);
    if constexpr (operation == Atomic::count) atomicAdd(word, 1);
    if constexpr (operation == Atomic::count_with_result) output[threadIdx.x] = atomicAdd(word, 1);
    if constexpr (operation == Atomic::wrap) output[threadIdx.x] = atomicInc(word, 1000);
    if constexpr (operation == Atomic::compare_and_swap_8) {
        const auto old = atomicCAS(reinterpret_cast<unsigned long long*>(address), 0ull, static_cast<unsigned long long>(value));
        output[threadIdx.x] = static_cast<unsigned>(old);
    }
    if constexpr (operation == Atomic::exchange_8) {
        const auto old = atomicExch(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
        output[threadIdx.x] = static_cast<unsigned>(old);
    }
    if constexpr (operation == Atomic::most_8) {
        const auto old = atomicMax(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
        output[threadIdx.x] = static_cast<unsigned>(old);
    }
    if constexpr (operation == Atomic::add_half2) atomicAdd(reinterpret_cast<__half2*>(address), __float2half2_rn(1));
    if constexpr (operation == Atomic::compare_and_swap) output[threadIdx.x] = atomicCAS(word, 0u, value);
    if constexpr (operation == Atomic::exchange) output[threadIdx.x] = atomicExch(word, value);
    if constexpr (operation == Atomic::most) atomicMax(word, value);
    if constexpr (operation == Atomic::add_8) {
        const auto old = atomicAdd(reinterpret_cast<unsigned long long*>(address), value);
        output[threadIdx.x] = static_cast<unsigned>(old);
    }
    if constexpr (operation == Atomic::add_float) {
        const float old = atomicAdd(reinterpret_cast<float*>(address), static_cast<float>(value));
        output[threadIdx.x] = static_cast<unsigned>(old);
    }
    if constexpr (operation == Atomic::add_float_without_result) atomicAdd(reinterpret_cast<float*>(address), static_cast<float>(value));
}

template <Atomic operation> __global__ void shared_atomic(unsigned* output, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 shared[];
    for (int i = threadIdx.x; i < SHARED_BYTES / 16; i += LANES) shared[i] = uint4{};
    __syncthreads();
    if (takes_part(pattern)) change<operation>(reinterpret_cast<char*>(shared) + pattern.offset[threadIdx.x], output);
    __syncthreads();
    if (output[LANES]) output[threadIdx.x] = shared[threadIdx.x].x;
}

template <Atomic operation> __global__ void global_atomic(unsigned* output, char* memory, const __grid_constant__ Pattern pattern) {
    if (takes_part(pattern)) change<operation>(memory + pattern.offset[threadIdx.x], output);
}

// The other side of a pattern is contiguous.
template <int bytes, bool bypasses_l1> __device__ void copy(unsigned to, const char* from) {
    if constexpr (bypasses_l1) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}

template <int bytes, bool bypasses_l1> __global__ void async_copy_to(const char* memory, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 shared[];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + pattern.offset[threadIdx.x];
    if (takes_part(pattern)) copy<bytes, bypasses_l1>(to, memory + bytes * threadIdx.x);
}

template <int bytes, bool bypasses_l1> __global__ void async_copy_from(const char* memory, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 shared[];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + bytes * threadIdx.x;
    if (takes_part(pattern)) copy<bytes, bypasses_l1>(to, memory + pattern.offset[threadIdx.x]);
}

template <int bytes, bool bypasses_l1> __global__ void async_copy_both(const char* memory, const __grid_constant__ Pattern pattern) {
    extern __shared__ uint4 shared[];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + pattern.to[threadIdx.x];
    if (takes_part(pattern)) copy<bytes, bypasses_l1>(to, memory + pattern.offset[threadIdx.x]);
}

template <int bytes> __global__ void local_access(unsigned* output, const __grid_constant__ Pattern pattern) {
    alignas(16) char local[2048 + 64];
    const std::size_t at = __cvta_generic_to_local(local) + pattern.offset[threadIdx.x];
    if (!takes_part(pattern)) return;
    uint4 v{threadIdx.x, threadIdx.x, threadIdx.x, threadIdx.x};
    if constexpr (bytes == 4) {
        asm volatile("st.local.u32 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(v.x) : "l"(at) : "memory");
    } else if constexpr (bytes == 8) {
        asm volatile("st.local.v2.u32 [%0], {%1,%2};" ::"l"(at), "r"(v.x), "r"(v.y) : "memory");
        asm volatile("ld.local.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
    } else if constexpr (bytes == 16) {
        asm volatile("st.local.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
        asm volatile("ld.local.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
    } else if constexpr (bytes == 2) {
        asm volatile("st.local.u16 [%0], %1;" ::"l"(at), "h"(static_cast<unsigned short>(v.x)) : "memory");
        asm volatile("{.reg .u16 r; ld.local.u16 r, [%1]; cvt.u32.u16 %0, r;}" : "=r"(v.x) : "l"(at) : "memory");
    } else {
        asm volatile("st.local.u8 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
        asm volatile("ld.local.u8 %0, [%1];" : "=r"(v.x) : "l"(at) : "memory");
    }
    output[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__constant__ uint4 table[SHARED_BYTES / 16];

template <class T> __global__ void constant_load(T* output, const unsigned* offset, unsigned active) {
    if (active >> threadIdx.x & 1)
        output[threadIdx.x] = *reinterpret_cast<const T*>(reinterpret_cast<const char*>(table) + offset[threadIdx.x]);
}

char* memory;
uint4* output;
unsigned* offsets;

template <Atomic operation> void add_atomic(std::vector<Way>& ways, const char* name, int bytes) {
    ways.push_back({"shared_atomic", name, bytes, [](const Pattern& p) {
                        shared_atomic<operation><<<1, LANES, SHARED_BYTES>>>(reinterpret_cast<unsigned*>(output), p);
                    }});
    ways.push_back({"global_atomic", name, bytes,
                    [](const Pattern& p) { global_atomic<operation><<<1, LANES>>>(reinterpret_cast<unsigned*>(output), memory, p); }});
}

template <int bytes, bool bypasses_l1> void add_copy(std::vector<Way>& ways, const char* to, const char* from, const char* both) {
    ways.push_back(
        {"async_copy", to, bytes, [](const Pattern& p) { async_copy_to<bytes, bypasses_l1><<<1, LANES, SHARED_BYTES>>>(memory, p); }});
    ways.push_back(
        {"async_copy", from, bytes, [](const Pattern& p) { async_copy_from<bytes, bypasses_l1><<<1, LANES, SHARED_BYTES>>>(memory, p); }});
    ways.push_back({"async_copy", both, bytes,
                    [](const Pattern& p) { async_copy_both<bytes, bypasses_l1><<<1, LANES, SHARED_BYTES>>>(memory, p); }, true});
}

template <class T> void add_reads(std::vector<Way>& ways) {
    constexpr int bytes = sizeof(T);
    ways.push_back({"local", "both", bytes, [](const Pattern& p) {
                        Pattern within = p;
                        for (unsigned& offset : within.offset) offset %= 2048;
                        local_access<bytes><<<1, LANES>>>(reinterpret_cast<unsigned*>(output), within);
                    }});
    ways.push_back({"constant", "load", bytes, [](const Pattern& p) {
                        check(cudaMemcpy(offsets, p.offset, sizeof p.offset, cudaMemcpyHostToDevice));
                        constant_load<T><<<1, LANES>>>(reinterpret_cast<T*>(output), offsets, p.active);
                    }});
}

int main(int count, char** arguments) {
    // Aligned to its size, so that the offsets of a pattern are the low bits of its addresses.
    check(cudaMalloc(&memory, 2 * GLOBAL_BYTES));
    memory += GLOBAL_BYTES - reinterpret_cast<unsigned long long>(memory) % GLOBAL_BYTES;
    check(cudaMemset(memory, 0, GLOBAL_BYTES));
    check(cudaMalloc(&output, 64 * sizeof(uint4)));
    check(cudaMemset(output, 0, 64 * sizeof(uint4)));
    check(cudaMalloc(&offsets, LANES * sizeof(unsigned)));
    std::vector<Way> ways;
    add_atomic<Atomic::add>(ways, "add", 4);
    add_atomic<Atomic::add_without_result>(ways, "add_without_result", 4);
    add_atomic<Atomic::count>(ways, "count", 4);
    add_atomic<Atomic::compare_and_swap>(ways, "compare_and_swap", 4);
    add_atomic<Atomic::exchange>(ways, "exchange", 4);
    add_atomic<Atomic::most>(ways, "most", 4);
    add_atomic<Atomic::add_8>(ways, "add_8", 8);
    add_atomic<Atomic::count_with_result>(ways, "count_with_result", 4);
    add_atomic<Atomic::wrap>(ways, "wrap", 4);
    add_atomic<Atomic::compare_and_swap_8>(ways, "compare_and_swap_8", 8);
    add_atomic<Atomic::exchange_8>(ways, "exchange_8", 8);
    add_atomic<Atomic::most_8>(ways, "most_8", 8);
    add_atomic<Atomic::add_half2>(ways, "add_half2", 4);
    add_atomic<Atomic::add_float>(ways, "add_float", 4);
    add_atomic<Atomic::add_float_without_result>(ways, "add_float_without_result", 4);
    add_copy<4, false>(ways, "to", "from", "both");
    add_copy<8, false>(ways, "to", "from", "both");
    add_copy<16, false>(ways, "to", "from", "both");
    add_copy<16, true>(ways, "to_past_l1", "from_past_l1", "both_past_l1");
    add_reads<unsigned char>(ways);
    add_reads<unsigned short>(ways);
    add_reads<unsigned>(ways);
    add_reads<uint2>(ways);
    add_reads<uint4>(ways);
    Prober(ways, count > 1 ? arguments[1] : "").run_all();
    return 0;
}
