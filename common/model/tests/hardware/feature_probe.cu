// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// One warp, one access that is no plain load or store, many address patterns: atomic operations, asynchronous copies,
// local memory, constant memory and textures.
//
// As in access_probe.cu each case is one launch, and a line on standard output names it: family, operation, bytes a lane,
// pattern, active lanes, and the bytes at which the lanes access. read_features.py joins the lines with a profiler's counts.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

constexpr int LANES = 32;
constexpr int SHARED_BYTES = 32 * 1024;

struct Pattern {
    unsigned offset[LANES];
    unsigned active;
};

__device__ bool takes_part(const Pattern& pattern) { return pattern.active >> threadIdx.x & 1; }

enum class Atomic {
    add, add_without_result, count, count_with_result, wrap, compare_and_swap, exchange, most, add_8, compare_and_swap_8, exchange_8, most_8,
    add_float, add_float_without_result, add_half2
};

template <Atomic operation>
__device__ void change(char* address, unsigned* output)
{
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

template <Atomic operation>
__global__ void shared_atomic(unsigned* output, const __grid_constant__ Pattern pattern)
{
    extern __shared__ uint4 shared[];
    for (int i = threadIdx.x; i < SHARED_BYTES / 16; i += LANES) shared[i] = uint4{};
    __syncthreads();
    if (takes_part(pattern)) change<operation>(reinterpret_cast<char*>(shared) + pattern.offset[threadIdx.x], output);
    __syncthreads();
    if (output[LANES]) output[threadIdx.x] = shared[threadIdx.x].x;
}

template <Atomic operation>
__global__ void global_atomic(unsigned* output, char* memory, const __grid_constant__ Pattern pattern)
{
    if (takes_part(pattern)) change<operation>(memory + pattern.offset[threadIdx.x], output);
}

// The side that the pattern is not for is contiguous.
template <int bytes, bool bypasses_l1>
__device__ void copy(unsigned to, const char* from)
{
    if constexpr (bypasses_l1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}

template <int bytes, bool bypasses_l1>
__global__ void async_copy_to(const char* memory, const __grid_constant__ Pattern pattern)
{
    extern __shared__ uint4 shared[];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + pattern.offset[threadIdx.x];
    if (takes_part(pattern)) copy<bytes, bypasses_l1>(to, memory + bytes * threadIdx.x);
}

template <int bytes, bool bypasses_l1>
__global__ void async_copy_from(const char* memory, const __grid_constant__ Pattern pattern)
{
    extern __shared__ uint4 shared[];
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + bytes * threadIdx.x;
    if (takes_part(pattern)) copy<bytes, bypasses_l1>(to, memory + pattern.offset[threadIdx.x]);
}

template <int bytes>
__global__ void local_access(unsigned* output, const __grid_constant__ Pattern pattern)
{
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
    } else {
        asm volatile("st.local.u8 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
        asm volatile("ld.local.u8 %0, [%1];" : "=r"(v.x) : "l"(at) : "memory");
    }
    output[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__constant__ uint4 table[SHARED_BYTES / 16];

template <class T>
__global__ void constant_load(T* output, const unsigned* offset, unsigned active)
{
    if (active >> threadIdx.x & 1) output[threadIdx.x] = *reinterpret_cast<const T*>(reinterpret_cast<const char*>(table) + offset[threadIdx.x]);
}

template <class T>
__global__ void texture_fetch(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern)
{
    if (takes_part(pattern)) output[threadIdx.x] = tex1Dfetch<T>(texture, static_cast<int>(pattern.offset[threadIdx.x] / sizeof(T)));
}

// The texels of a row of 64 follow one another.
template <class T>
__global__ void texture_image(T* output, cudaTextureObject_t texture, const __grid_constant__ Pattern pattern)
{
    const unsigned texel = pattern.offset[threadIdx.x] / sizeof(T);
    if (takes_part(pattern)) output[threadIdx.x] = tex2D<T>(texture, static_cast<float>(texel % 64) + 0.5f, static_cast<float>(texel / 64 % 64) + 0.5f);
}

void check(cudaError_t error)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "feature_probe: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

char* memory;
uint4* output;
unsigned* offsets;

template <class T>
cudaTextureObject_t texture(bool of_array)
{
    cudaResourceDesc resource{};
    const cudaChannelFormatDesc texel = cudaCreateChannelDesc<T>();
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    if (of_array) {
        resource.resType = cudaResourceTypeArray;
        check(cudaMallocArray(&resource.res.array.array, &texel, 64, 64));
        check(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, memory, 64 * sizeof(T), 64 * sizeof(T), 64 > SHARED_BYTES / 64 / sizeof(T) ? SHARED_BYTES / 64 / sizeof(T) : 64, cudaMemcpyDeviceToDevice));
    } else {
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory;
        resource.res.linear.desc = texel;
        resource.res.linear.sizeInBytes = SHARED_BYTES;
    }
    cudaTextureObject_t made = 0;
    check(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

/// A way to run patterns of `bytes` a lane.
struct Way {
    const char* family;
    const char* operation;
    int bytes;
    std::function<void(const Pattern&)> launch;
};

template <Atomic operation>
void add_atomic(Way* ways, int& count, const char* name, int bytes)
{
    ways[count++] = {"shared_atomic", name, bytes, [](const Pattern& p) { shared_atomic<operation><<<1, LANES, SHARED_BYTES>>>(reinterpret_cast<unsigned*>(output), p); }};
    ways[count++] = {"global_atomic", name, bytes, [](const Pattern& p) { global_atomic<operation><<<1, LANES>>>(reinterpret_cast<unsigned*>(output), memory, p); }};
}

template <int bytes, bool bypasses_l1>
void add_copy(Way* ways, int& count, const char* to, const char* from)
{
    ways[count++] = {"async_copy", to, bytes, [](const Pattern& p) { async_copy_to<bytes, bypasses_l1><<<1, LANES, SHARED_BYTES>>>(memory, p); }};
    ways[count++] = {"async_copy", from, bytes, [](const Pattern& p) { async_copy_from<bytes, bypasses_l1><<<1, LANES, SHARED_BYTES>>>(memory, p); }};
}

template <class T>
void add_reads(Way* ways, int& count)
{
    constexpr int bytes = sizeof(T);
    ways[count++] = {"local", "both", bytes, [](const Pattern& p) {
                         Pattern within = p;
                         for (unsigned& offset : within.offset) offset %= 2048;
                         local_access<bytes><<<1, LANES>>>(reinterpret_cast<unsigned*>(output), within);
                     }};
    ways[count++] = {"constant", "load", bytes, [](const Pattern& p) {
                         check(cudaMemcpy(offsets, p.offset, sizeof p.offset, cudaMemcpyHostToDevice));
                         constant_load<T><<<1, LANES>>>(reinterpret_cast<T*>(output), offsets, p.active);
                     }};
    static cudaTextureObject_t of_memory = texture<T>(false), of_array = texture<T>(true);
    ways[count++] = {"texture", "fetch", bytes, [](const Pattern& p) { texture_fetch<T><<<1, LANES>>>(reinterpret_cast<T*>(output), of_memory, p); }};
    ways[count++] = {"texture", "image", bytes, [](const Pattern& p) { texture_image<T><<<1, LANES>>>(reinterpret_cast<T*>(output), of_array, p); }};
}

Way ways[64];
int way_count = 0;

/// Runs one pattern in all ways. `element` gives each lane's element.
void probe(const std::string& name, const std::function<unsigned(unsigned)>& element, unsigned active = ~0u)
{
    for (int i = 0; i < way_count; ++i) {
        const Way& way = ways[i];
        Pattern pattern{{}, active};
        for (unsigned lane = 0; lane < LANES; ++lane) pattern.offset[lane] = element(lane) * way.bytes % SHARED_BYTES;
        way.launch(pattern);
        std::printf("%s %s %d %s %08x", way.family, way.operation, way.bytes, name.c_str(), active);
        for (unsigned offset : pattern.offset) std::printf(" %u", std::string(way.family) == "local" ? offset % 2048 : offset);
        std::printf("\n");
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
}

/// A small reproducible generator; the quality of its numbers does not matter here.
class Random {
public:
    explicit Random(unsigned seed) : state_(seed * 2654435761u + 1) {}
    unsigned below(unsigned limit)
    {
        state_ = state_ * 1664525u + 1013904223u;
        return (state_ >> 16) % limit;
    }

private:
    unsigned state_;
};

int main()
{
    check(cudaMalloc(&memory, SHARED_BYTES));
    check(cudaMemset(memory, 0, SHARED_BYTES));
    check(cudaMalloc(&output, 64 * sizeof(uint4)));
    check(cudaMemset(output, 0, 64 * sizeof(uint4)));
    check(cudaMalloc(&offsets, LANES * sizeof(unsigned)));
    add_atomic<Atomic::add>(ways, way_count, "add", 4);
    add_atomic<Atomic::add_without_result>(ways, way_count, "add_without_result", 4);
    add_atomic<Atomic::count>(ways, way_count, "count", 4);
    add_atomic<Atomic::compare_and_swap>(ways, way_count, "compare_and_swap", 4);
    add_atomic<Atomic::exchange>(ways, way_count, "exchange", 4);
    add_atomic<Atomic::most>(ways, way_count, "most", 4);
    add_atomic<Atomic::add_8>(ways, way_count, "add_8", 8);
    add_atomic<Atomic::count_with_result>(ways, way_count, "count_with_result", 4);
    add_atomic<Atomic::wrap>(ways, way_count, "wrap", 4);
    add_atomic<Atomic::compare_and_swap_8>(ways, way_count, "compare_and_swap_8", 8);
    add_atomic<Atomic::exchange_8>(ways, way_count, "exchange_8", 8);
    add_atomic<Atomic::most_8>(ways, way_count, "most_8", 8);
    add_atomic<Atomic::add_half2>(ways, way_count, "add_half2", 4);
    add_atomic<Atomic::add_float>(ways, way_count, "add_float", 4);
    add_atomic<Atomic::add_float_without_result>(ways, way_count, "add_float_without_result", 4);
    add_copy<4, false>(ways, way_count, "to", "from");
    add_copy<8, false>(ways, way_count, "to", "from");
    add_copy<16, false>(ways, way_count, "to", "from");
    add_copy<16, true>(ways, way_count, "to_past_l1", "from_past_l1");
    add_reads<unsigned char>(ways, way_count);
    add_reads<unsigned>(ways, way_count);
    add_reads<uint2>(ways, way_count);
    add_reads<uint4>(ways, way_count);

    const auto contiguous = [](unsigned lane) { return lane; };
    probe("contiguous", contiguous);
    probe("uniform", [](unsigned) { return 0u; });
    probe("pairs", [](unsigned lane) { return lane / 2; });
    probe("quads", [](unsigned lane) { return lane / 4; });
    for (unsigned period : {4u, 8u, 16u}) probe("period_" + std::to_string(period), [=](unsigned lane) { return lane % period; });
    for (unsigned stride : {2u, 3u, 4u, 8u, 16u, 32u, 33u}) probe("stride_" + std::to_string(stride), [=](unsigned lane) { return lane * stride; });
    probe("reversed", [](unsigned lane) { return 31 - lane; });
    probe("two_rows", [](unsigned lane) { return lane % 2 * 32; });
    for (unsigned active : {0x1u, 0x80000001u, 0x55555555u, 0x0000FFFFu}) {
        probe("contiguous_masked", contiguous, active);
        probe("stride_32_masked", [](unsigned lane) { return lane * 32; }, active);
        probe("uniform_masked", [](unsigned) { return 5u; }, active);
    }
    for (unsigned range : {4u, 16u, 64u, 256u})
        for (unsigned seed = 0; seed < 3; ++seed) {
            Random random(range + seed);
            unsigned element[LANES];
            for (unsigned& e : element) e = random.below(range);
            const unsigned active = seed < 2 ? ~0u : random.below(1u << 16) << 16 | random.below(1u << 16);
            probe("random_below_" + std::to_string(range) + "_seed_" + std::to_string(seed), [&](unsigned lane) { return element[lane]; }, active);
        }
    return 0;
}
