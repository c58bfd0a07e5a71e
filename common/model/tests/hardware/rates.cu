// Kernels that each use one part of a GPU at its full rate: read_rates.py divides the model's counts of each by the GPU's cycles. A name
// that ends in `_alone` stands for one block, so that one multiprocessor has the GPU to itself.

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

__constant__ uint2 constants[32];

/// The lanes of a warp read different words.
__device__ void load_constants() {
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const uint2 words = constants[(threadIdx.x + i + round + (found >> 31)) % 32];
            found ^= (words.x ^ words.y) & 1;
        }
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

/// Each thread loads `all` words, in a loop over `words` that all blocks share, past the L1.
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

/// Each warp adds products to several sums, so that none has to wait for its last result.
template <class Number, int of_a, int of_b, class Product> __device__ void multiply(Product product) {
    constexpr int sums = 4;
    // The compiler leaves out products of numbers that it knows to be zero.
    Number d[sums][4] = {}, a[of_a], b[of_b];
    for (Number& element : a) element = threadIdx.x;
    for (Number& element : b) element = threadIdx.x;
    for (int round = 0; round < 4 * ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) product(d[i % sums], a, b);
    Number sum = 0;
#pragma unroll
    for (int i = 0; i < 4 * sums; ++i) sum += d[i / 4][i % 4];
    use(static_cast<unsigned>(sum));
}

/// Each group of four warps multiplies 64 rows by 256 columns of zeros in shared memory: tiles of 8 rows of 16 bytes, two beside each
/// other.
template <class Product> __device__ void multiply_by_groups(Product product) {
    __shared__ __align__(128) uint4 tiles[256 * 2];
    for (unsigned i = threadIdx.x; i < 256 * 2; i += blockDim.x) tiles[i] = uint4{};
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const unsigned long long factor = __cvta_generic_to_shared(tiles) / 16 | 128 / 16 << 16 | 256ull / 16 << 32;
    unsigned sums[128] = {};
    for (int round = 0; round < 2 * ROUNDS; ++round) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int i = 0; i < BATCH; ++i) product(sums, factor);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < 128; ++i) all ^= sums[i];
    use(all);
}

/// Each thread has several numbers, so that none has to wait for its last result.
template <class Number, int rounds, class Function> __device__ void calculate(Function calculation) {
    constexpr int numbers = 8;
    Number values[numbers];
#pragma unroll
    for (int i = 0; i < numbers; ++i) values[i] = Number(threadIdx.x + i);
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int repeat = 0; repeat < BATCH; ++repeat)
#pragma unroll
            for (int i = 0; i < numbers; ++i) values[i] = calculation(values[i]);
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

/// Each lane stores a word of another line.
__global__ void l2_stores_of_columns(unsigned* data) {
    constexpr unsigned lines = L2_BYTES / 128;
    for (unsigned n = 0; n < ROUNDS; ++n)
        data[(blockIdx.x * THREADS + threadIdx.x + n * gridDim.x * THREADS) % lines * 32 + n / 8 % 32] = n;
}
/// Each lane stores every second word.
__global__ void l2_stores_of_halves(unsigned* data) {
    for (unsigned n = 0; n < 2 * ROUNDS; ++n) data[(blockIdx.x * THREADS + threadIdx.x + n * gridDim.x * THREADS) * 2 % (L2_BYTES / 4)] = n;
}

__global__ void dram_loads(const uint4* data) { load(data, DRAM_BYTES / 16, DRAM_BYTES / 16 / BLOCKS / THREADS); }
/// Loads of as many bytes from DRAM by many small blocks.
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

// Loads each of which finds the address of the next: a word holds its own address, so that nothing is calculated on the way. With so many
// loads, the cycles of the launch itself do not show.
constexpr int CHAIN_ROUNDS = 64 * ROUNDS;
__global__ void l1_loads_in_a_row_alone(unsigned* data) {
    auto at = reinterpret_cast<unsigned long long>(data);
    *reinterpret_cast<unsigned long long*>(data) = at;
    for (int round = 0; round < CHAIN_ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) asm volatile("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory");
    sink = static_cast<unsigned>(at);
}
__global__ void shared_loads_in_a_row_alone() {
    __shared__ unsigned word;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
    word = at;
    for (int round = 0; round < CHAIN_ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < BATCH; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) : : "memory");
    sink = at;
}

__global__ void constant_loads() { load_constants(); }
__global__ void multiply_adds() { calculate<float, 8 * ROUNDS>(MultiplyAdd{}); }
__global__ void multiply_adds_in_double_precision() { calculate<double, 8 * ROUNDS>(MultiplyAdd{}); }
__global__ void exponentials() { calculate<float, ROUNDS>(Exponential{}); }

// Products of each type of element that tensor cores multiply at a rate of its own.
#define PRODUCTS(name, type)                                                                                         \
    __global__ void products_of_##name##_alone() {                                                                   \
        multiply<unsigned, 4, 2>([](unsigned (&d)[4], unsigned (&a)[4], unsigned (&b)[2]) {                          \
            asm volatile("mma.sync.aligned." type " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                         : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                            \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                        \
        });                                                                                                          \
    }
PRODUCTS(bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
PRODUCTS(tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
PRODUCTS(s8, "m16n8k32.row.col.s32.s8.s8.s32")
PRODUCTS(b1, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
__global__ void products_of_f64_alone() {
    multiply<double, 8, 4>([](double (&d)[4], double (&a)[8], double (&b)[4]) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "
            "{%0, %1, %2, %3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]),
              "d"(b[3]));
    });
}

#define TEN(n) "%" n "0, %" n "1, %" n "2, %" n "3, %" n "4, %" n "5, %" n "6, %" n "7, %" n "8, %" n "9, "
#define D4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define PRODUCTS_BY_GROUPS(name, type, transposed)                                                                                   \
    __global__ void __launch_bounds__(SMALL_BLOCK, 1) products_of_##name##_by_groups_alone() {                                       \
        multiply_by_groups([](unsigned (&d)[128], unsigned long long factor) {                                                       \
            asm volatile("{.reg .pred adds; setp.eq.u32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n256" type " {" TEN("") TEN("1") \
                             TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9") TEN("10")                       \
                                 TEN("11") "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %128, adds" transposed ";}"       \
                         : D16(0), D16(16), D16(32), D16(48), D16(64), D16(80), D16(96), D16(112)                                    \
                         : "l"(factor));                                                                                             \
        });                                                                                                                          \
    }
PRODUCTS_BY_GROUPS(bf16, "k16.f32.bf16.bf16", ", 1, 1, 0, 0")
PRODUCTS_BY_GROUPS(tf32, "k8.f32.tf32.tf32", ", 1, 1")
PRODUCTS_BY_GROUPS(e4m3, "k32.f32.e4m3.e4m3", ", 1, 1")
PRODUCTS_BY_GROUPS(s8, "k32.s32.s8.s8", "")
PRODUCTS_BY_GROUPS(b1, "k256.s32.b1.b1.and.popc", "")

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
    l2_stores_of_columns<<<BLOCKS, THREADS>>>(words);
    l2_stores_of_halves<<<BLOCKS, THREADS>>>(words);
    dram_loads<<<BLOCKS, THREADS>>>(wide);
    dram_loads_by_many_blocks<<<DRAM_BYTES / 16 / 8 / SMALL_BLOCK, SMALL_BLOCK>>>(wide);
    dram_stores<<<BLOCKS, THREADS>>>(wide);
    dram_copy<<<BLOCKS, THREADS>>>(wide, wide + DRAM_BYTES / 32);
    barriers_alone<<<1, 32>>>();
    l1_loads_in_a_row_alone<<<1, 1>>>(words);
    shared_loads_in_a_row_alone<<<1, 1>>>();
    constant_loads<<<BLOCKS, THREADS>>>();
    multiply_adds<<<BLOCKS, THREADS>>>();
    multiply_adds_in_double_precision<<<BLOCKS, THREADS>>>();
    exponentials<<<BLOCKS, THREADS>>>();
    for (auto* const products :
         {products_of_bf16_alone, products_of_tf32_alone, products_of_s8_alone, products_of_b1_alone, products_of_f64_alone})
        products<<<1, THREADS / 2>>>();
    for (auto* const products : {products_of_bf16_by_groups_alone, products_of_tf32_by_groups_alone, products_of_e4m3_by_groups_alone,
                                 products_of_s8_by_groups_alone, products_of_b1_by_groups_alone})
        products<<<1, SMALL_BLOCK>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::puts(cudaGetErrorString(error));
    cudaFree(data);
    return error == cudaSuccess ? 0 : 1;
}
