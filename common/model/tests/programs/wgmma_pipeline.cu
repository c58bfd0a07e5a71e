// A matrix product as libraries write it for sm_90a: one warp copies tiles by tensor maps, two warpgroups multiply them, with one
// product always under way, and one thread of a warpgroup gives a stage back for all.

#include <cuda.h>

#include "../device_array.cuh"
#include "mma_reference.cuh"

constexpr int tile_m = 128, tile_n = 64, tile_k = 64, stages = 3, warpgroups = 2, threads = 32 + 128 * warpgroups;
constexpr int bytes_a = tile_m * tile_k * 2, bytes_b = tile_n * tile_k * 2;

__device__ unsigned shared_address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

__device__ void wait_for(unsigned barrier, unsigned parity) {
    asm volatile("{ .reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

__device__ void copy_tile(unsigned to, const CUtensorMap& map, unsigned barrier, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/// A tile whose rows have 128 bytes, swizzled.
__device__ unsigned long long descriptor_of(unsigned address) { return (address & 0x3FFFF) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; }

#define T10(t) "%" t "0,%" t "1,%" t "2,%" t "3,%" t "4,%" t "5,%" t "6,%" t "7,%" t "8,%" t "9"
#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)

__device__ void multiply(float* d, unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" T10("") "," T10("1") "," T10("2") ",%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
        : F16(0), F16(16)
        : "l"(a), "l"(b));
}

struct Barriers { unsigned full, empty; };

__device__ void produce(unsigned a, unsigned b, Barriers barriers, const CUtensorMap& map_a, const CUtensorMap& map_b, int steps) {
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        wait_for(barriers.empty + 8 * stage, (step / stages & 1) ^ 1);
        const unsigned full = barriers.full + 8 * stage;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(full), "r"(bytes_a + bytes_b) : "memory");
        copy_tile(a + stage * bytes_a, map_a, full, step * tile_k, blockIdx.y * tile_m);
        copy_tile(b + stage * bytes_b, map_b, full, step * tile_k, blockIdx.x * tile_n);
    }
}

__device__ void consume(unsigned a, unsigned b, Barriers barriers, int steps, float* d) {
    const unsigned rows = (threadIdx.x / 128) * 64 * 128;
    const auto give_back = [&](int step) {
        if (threadIdx.x % 128 == 77)
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barriers.empty + 8 * (step % stages)) : "memory");
    };
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        wait_for(barriers.full + 8 * stage, step / stages & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < tile_k / 16; ++k)
            multiply(d, descriptor_of(a + stage * bytes_a + rows + 32 * k), descriptor_of(b + stage * bytes_b + 32 * k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (step > 0) give_back(step - 1);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__global__ void __launch_bounds__(threads)
    product(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ unsigned long long full[stages], empty[stages];
    const unsigned a = shared_address(tiles), b = a + stages * bytes_a;
    const Barriers barriers{shared_address(full), shared_address(empty)};
    if (threadIdx.x == 0)
        for (int i = 0; i < stages; ++i) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barriers.full + 8 * i) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barriers.empty + 8 * i), "r"(warpgroups) : "memory");
        }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const int steps = (k + tile_k - 1) / tile_k;
    if (threadIdx.x >= 128 * warpgroups) {
        if (threadIdx.x == 128 * warpgroups) produce(a, b, barriers, map_a, map_b, steps);
        return;
    }
    float d[32] = {};
    consume(a, b, barriers, steps, d);
    const int first_row = blockIdx.y * tile_m + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4,
              first_column = blockIdx.x * tile_n + threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; ++i) {
        const int row = first_row + i / 2 % 2 * 8, column = first_column + i / 4 * 8 + i % 2;
        if (row < m && column < n) c[row * n + column] = d[i];
    }
}

/// Tiles of a matrix of halves, row by row.
CUtensorMap make_map(void* memory, int rows, int columns, int tile_rows) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult state{};
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &state) != cudaSuccess || !found)
        std::exit(2);
    const cuuint64_t extent[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)},
                     stride[] = {static_cast<cuuint64_t>(columns) * 2};
    const cuuint32_t box[] = {tile_k, static_cast<cuuint32_t>(tile_rows)}, every[] = {1, 1};
    CUtensorMap map;
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, memory, extent, stride, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) std::printf("a tensor map: error %d\n", result), std::exit(2);
    return map;
}

int test(int m, int n, int k) {
    std::vector<__half> a(m * k), b(n * k);
    std::vector<double> wide_a(m * k), wide_b(k * n), zeros(m * n), d(m * n);
    for (int i = 0; i < m * k; ++i) wide_a[i] = __half2float(a[i] = from_bits<__half>(random_bits(Type::f16)));
    for (int column = 0; column < n; ++column)
        for (int i = 0; i < k; ++i) wide_b[i * n + column] = __half2float(b[column * k + i] = from_bits<__half>(random_bits(Type::f16)));
    const DeviceArray<__half> device_a(a), device_b(b);
    DeviceArray<float> device_c(d.size());
    device_c.fill(0xFF);
    constexpr int bytes = stages * (bytes_a + bytes_b);
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const dim3 grid((n + tile_n - 1) / tile_n, (m + tile_m - 1) / tile_m);
    product<<<grid, threads, bytes>>>(make_map(device_a, m, k, tile_m), make_map(device_b, n, k, tile_n), device_c, m, n, k);
    const std::vector<float> results = device_c.host();
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    std::copy(results.begin(), results.end(), d.begin());
    return count_errors("product", m, n, k, wide_a, wide_b, zeros, d, Type::f32) + (error != cudaSuccess);
}

int main() {
    const int errors = test(200, 90, 328) + test(128, 64, 64) + test(1, 7, 1000);
    std::printf(errors ? "%d errors\n" : "ok\n", errors);
    return errors != 0;
}
