// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Kernels that each ask one part of a GPU for as much as it gives: read_rates.py divides what the model counts of each by the cycles
// that the GPU takes. A name that ends in `_alone` stands for one block, so that one multiprocessor has the GPU to itself.

#include <cstdio>

#include <cuda_runtime.h>

namespace {

constexpr int THREADS = 1024;
constexpr int MULTIPROCESSORS = 132;
constexpr int BLOCKS = 2 * MULTIPROCESSORS;
constexpr int SMALL_BLOCK = 256;
constexpr int ROUNDS = 64;
constexpr int BATCH = 16;
/// Bytes that fit into the L1, into the L2, and into neither.
constexpr std::size_t L1_BYTES = std::size_t{1} << 14, L2_BYTES = std::size_t{1} << 24, DRAM_BYTES = std::size_t{1} << 30;

__device__ unsigned sink;

/// Keeps `value` alive at no cost.
__device__ void use(unsigned value) {
    if (value == 0x9e3779b9u) sink = value;
}

template <class Word> __device__ unsigned fold(Word word) {
    if constexpr (sizeof(Word) == 4) return word;
    else return word.x ^ word.y ^ word.z ^ word.w;
}

/// `stride` is 1 without conflicts, 32 with the most.
template <class Word, int stride> __device__ void load_shared() {
    __shared__ Word words[THREADS];
    words[threadIdx.x] = Word{};
    __syncthreads();
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) found ^= fold(words[(threadIdx.x * stride + i * 32 + round) % THREADS]);
    use(found);
}

/// All blocks load the same few words, which the L1 keeps.
template <class Word> __device__ void load_cached(const Word* data) {
    constexpr unsigned words = L1_BYTES / sizeof(Word);
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) found ^= fold(data[(threadIdx.x + (i * 3 + round) * 32) % words]);
    use(found);
}

/// Each thread loads `all` words, of `words` that all blocks go round together, past the L1.
__device__ void load(const uint4* data, unsigned words, unsigned all) {
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    unsigned found = 0;
    for (unsigned n = 0; n < all; n += BATCH) {
        uint4 batch[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            batch[i] = __ldcg(&data[at & (words - 1)]);
            at += gridDim.x * THREADS;
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) found ^= fold(batch[i]);
    }
    use(found);
}

template <class Word> __device__ void store(Word* data, unsigned words, unsigned all) {
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    for (unsigned n = 0; n < all; ++n) {
        if constexpr (sizeof(Word) == 4) data[at & (words - 1)] = n;
        else data[at & (words - 1)] = make_uint4(at, n, 3, 4);
        at += gridDim.x * THREADS;
    }
}

struct MultiplyAdd {
    template <class Number> __device__ Number operator()(Number x) const { return x * Number(0.999) + Number(0.001); }
};

struct Exponential {
    __device__ float operator()(float x) const {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
        return x;
    }
};

/// Each thread has several numbers, so that none has to wait for its last result.
template <class Number, int rounds, class Operation> __device__ void calculate(Operation operation) {
    constexpr int numbers = 8;
    Number values[numbers];
#pragma unroll
    for (int i = 0; i < numbers; ++i) values[i] = Number(threadIdx.x + i);
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int repeat = 0; repeat < BATCH; ++repeat)
#pragma unroll
            for (int i = 0; i < numbers; ++i) values[i] = operation(values[i]);
    Number sum = 0;
#pragma unroll
    for (int i = 0; i < numbers; ++i) sum += values[i];
    use(static_cast<unsigned>(sum));
}

}  // namespace

__global__ void nothing() {}

__global__ void shared_loads() { load_shared<unsigned, 1>(); }
__global__ void shared_loads_of_16_bytes() { load_shared<uint4, 1>(); }
__global__ void shared_loads_with_conflicts() { load_shared<unsigned, 32>(); }
__global__ void l1_loads(const unsigned* data) { load_cached(data); }
__global__ void l1_loads_of_16_bytes(const uint4* data) { load_cached(data); }
__global__ void shared_and_l1_loads(const unsigned* data) {
    __shared__ unsigned words[THREADS];
    words[threadIdx.x] = 0;
    __syncthreads();
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            found ^= words[(threadIdx.x + i * 32 + round) % THREADS];
            found ^= data[(threadIdx.x + (i * 3 + round) * 32) % (L1_BYTES / 4)];
        }
    use(found);
}

__global__ void l2_loads(const uint4* data) { load(data, L2_BYTES / 16, 4 * ROUNDS); }
__global__ void l2_stores(unsigned* data) { store(data, L2_BYTES / 4, 4 * ROUNDS); }
__global__ void l2_stores_alone(unsigned* data) { store(data, L2_BYTES / 4, ROUNDS * BATCH); }
__global__ void l2_stores_of_16_bytes(uint4* data) { store(data, L2_BYTES / 16, 4 * ROUNDS); }
__global__ void l2_stores_of_16_bytes_alone(uint4* data) { store(data, L2_BYTES / 16, ROUNDS * BATCH); }

__global__ void dram_loads(const uint4* data) { load(data, DRAM_BYTES / 16, DRAM_BYTES / 16 / BLOCKS / THREADS); }
/// The same by many small blocks.
__global__ void dram_loads_by_many_blocks(const uint4* data) {
    unsigned found = 0;
    const uint4* const own = data + blockIdx.x * SMALL_BLOCK * 8 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 8; ++i) found ^= fold(__ldcg(&own[i * SMALL_BLOCK]));
    use(found);
}
__global__ void dram_stores(uint4* data) { store(data, DRAM_BYTES / 16, DRAM_BYTES / 16 / BLOCKS / THREADS); }
__global__ void dram_copy(uint4* to, const uint4* from) {
    unsigned at = blockIdx.x * THREADS + threadIdx.x;
    for (unsigned n = 0; n < DRAM_BYTES / 16 / BLOCKS / THREADS / 2; n += 4) {
        uint4 batch[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) batch[i] = from[at + i * BLOCKS * THREADS];
#pragma unroll
        for (int i = 0; i < 4; ++i) to[at + i * BLOCKS * THREADS] = batch[i];
        at += 4 * BLOCKS * THREADS;
    }
}

__global__ void barriers_alone() {
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) __syncthreads();
}

__global__ void multiply_adds() { calculate<float, 8 * ROUNDS>(MultiplyAdd{}); }
__global__ void multiply_adds_in_double_precision() { calculate<double, 8 * ROUNDS>(MultiplyAdd{}); }
__global__ void exponentials() { calculate<float, ROUNDS>(Exponential{}); }

int main() {
    char* data = nullptr;
    if (cudaMalloc(&data, DRAM_BYTES) != cudaSuccess || cudaMemset(data, 0, DRAM_BYTES) != cudaSuccess) {
        std::puts("no memory on the device");
        return 1;
    }
    auto* const words = reinterpret_cast<unsigned*>(data);
    auto* const wide = reinterpret_cast<uint4*>(data);
    nothing<<<1, 32>>>();
    shared_loads<<<BLOCKS, THREADS>>>();
    shared_loads_of_16_bytes<<<BLOCKS, THREADS>>>();
    shared_loads_with_conflicts<<<MULTIPROCESSORS, THREADS>>>();
    l1_loads<<<BLOCKS, THREADS>>>(words);
    l1_loads_of_16_bytes<<<BLOCKS, THREADS>>>(wide);
    shared_and_l1_loads<<<BLOCKS, THREADS>>>(words);
    l2_loads<<<BLOCKS, THREADS>>>(wide);
    l2_stores<<<BLOCKS, THREADS>>>(words);
    l2_stores_alone<<<1, THREADS>>>(words);
    l2_stores_of_16_bytes<<<BLOCKS, THREADS>>>(wide);
    l2_stores_of_16_bytes_alone<<<1, THREADS>>>(wide);
    dram_loads<<<BLOCKS, THREADS>>>(wide);
    dram_loads_by_many_blocks<<<DRAM_BYTES / 16 / 8 / SMALL_BLOCK, SMALL_BLOCK>>>(wide);
    dram_stores<<<BLOCKS, THREADS>>>(wide);
    dram_copy<<<BLOCKS, THREADS>>>(wide, wide + DRAM_BYTES / 32);
    barriers_alone<<<1, 32>>>();
    multiply_adds<<<BLOCKS, THREADS>>>();
    multiply_adds_in_double_precision<<<BLOCKS, THREADS>>>();
    exponentials<<<BLOCKS, THREADS>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::puts(cudaGetErrorString(error));
    cudaFree(data);
    return error == cudaSuccess ? 0 : 1;
}
