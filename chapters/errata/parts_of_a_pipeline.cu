// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "It is faster because of the copy engine", where other things change, too: the way from matmul_stages over matmul_tma to matmul_wgmma,
// with one change from each kernel to the next.

#include "milliseconds.cuh"

#include <matmul/mma.cuh>
#include <matmul/tensor_map.cuh>
#include <matmul/wgmma.cuh>

#include <algorithm>
#include <cstdio>

// [matmul_addresses_once]
// The units of a tile that a thread copies lie one below the other, a multiple of eight rows apart, so that the swizzle moves them alike:
// where the first one lies in its tile, and its number in the matrix.
template <int ROWS, int COLUMNS>
struct Units {
    int row = threadIdx.x / (COLUMNS / UNIT), column = threadIdx.x % (COLUMNS / UNIT) * UNIT;
    bf16* to;
    int from;

    __device__ Units(bf16* tile, int x, int y, int width)
        : to(unit_of<Swizzled, ROWS>(tile, row, column)), from((y + row) * width + x + column)
    {
    }

    __device__ void ask(int place, const bf16* matrix, int x, int y, int width, int height) const
    {
        for (int j = 0; j < ROWS; j += THREADS / (COLUMNS / UNIT))
            copy_16_bytes(to + place + j * BOX, &matrix[from + j * width], x + column < width && y + row + j < height);
    }
};

// matmul_stages, but the threads compute the addresses of their units once, and then advance them.
__global__ void __launch_bounds__(THREADS, 2) matmul_addresses_once(bf16* c, const bf16* a, const bf16* b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    int left = blockIdx.x * TILE_N, top = blockIdx.y * TILE_M;

    Units<TILE_M, TILE_K> a_units(stages, 0, top, k);
    Units<TILE_K, TILE_N> b_units(stages + TILE_M * TILE_K, left, 0, n);
    auto ask = [&](int i) {
        if (i * TILE_K < k) {
            a_units.ask(i % STAGES * STAGE, a, i * TILE_K, top, k, m);
            b_units.ask(i % STAGES * STAGE, b, left, i * TILE_K, n, k);
            a_units.from += TILE_K;
            b_units.from += TILE_K * n;
        }
        end_group();
    };
    for (int i = 0; i < STAGES - 1; ++i) ask(i);

    Sums sums;
    for (int i = 0; i * TILE_K < k; ++i) {
        wait_for_groups<STAGES - 2>();
        __syncthreads();
        ask(i + STAGES - 1);
        bf16* a_tile = stages + i % STAGES * STAGE;
        sums.add_product<Swizzled>(a_tile, a_tile + TILE_M * TILE_K);
    }
    sums.store(c, left, top, n, m);
}
// [/matmul_addresses_once]

// [matmul_engine]
// What matmul_tma does before its loop and in `ask`, for a tile of any width and any number of places.
template <int WIDTH, int PLACES>
struct Engine {
    static constexpr int PAIR = TILE_M * TILE_K + TILE_K * WIDTH;
    bf16* places;
    Barrier* loaded;
    const CUtensorMap &a, &b;
    int left, top, k;

    __device__ void make_barriers() const
    {
        if (threadIdx.x == 0) {
            for (int i = 0; i < PLACES; ++i) make_barrier(loaded[i], 1);
            publish_barriers();
        }
        __syncthreads();
    }

    __device__ void ask(int i) const
    {
        if (threadIdx.x > 0 || i * TILE_K >= k) return;
        bf16* a_tile = places + i % PLACES * PAIR;
        bf16* b_tile = a_tile + TILE_M * TILE_K;
        arrive_and_expect(loaded[i % PLACES], PAIR * sizeof(bf16));
        copy_box(a_tile, a, i * TILE_K, top, loaded[i % PLACES]);
        for (int x = 0; x < WIDTH; x += BOX) copy_box(b_tile + x * TILE_K, b, left + x, i * TILE_K, loaded[i % PLACES]);
    }
};

// matmul_addresses_once with the engine in place of cp.async. One thread asks and waits, and the others wait for that thread at the barrier
// that is there anyway.
__global__ void __launch_bounds__(THREADS, 2) matmul_engine(
    bf16* c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    __shared__ Barrier loaded[STAGES];
    int left = blockIdx.x * TILE_N, top = blockIdx.y * TILE_M;
    Engine<TILE_N, STAGES> engine{stages, loaded, a, b, left, top, k};
    engine.make_barriers();
    for (int i = 0; i < STAGES - 1; ++i) engine.ask(i);

    Sums sums;
    for (int i = 0; i * TILE_K < k; ++i) {
        // In matmul_tma every thread waits here.
        if (threadIdx.x == 0) wait(loaded[i % STAGES], i / STAGES % 2);
        __syncthreads();
        engine.ask(i + STAGES - 1);
        bf16* a_tile = stages + i % STAGES * STAGE;
        sums.add_product<Swizzled>(a_tile, a_tile + TILE_M * TILE_K);
    }
    sums.store(c, left, top, n, m);
}
// [/matmul_engine]

// [matmul_in_place]
// Adds the product of 64 x 16 and 16 x 128 elements to 64 x 128 sums, or stores it if `add` is false.
__device__ void wgmma(float (&sums)[64], unsigned long long a, unsigned long long b, bool add)
{
#define SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
    asm volatile(
        "{\n"
        ".reg .pred adds;\n"
        "setp.ne.b32 adds, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, adds, 1, 1, 0, 1;\n"
        "}"
        : SUMS_16(0), SUMS_16(16), SUMS_16(32), SUMS_16(48)
        : "l"(a), "l"(b), "r"(static_cast<int>(add)));
#undef SUMS_16
#undef SUMS_4
}

// matmul_tma with wgmma: two warp groups multiply tiles where they lie, 64 rows each. With OVERLAPPED they wait for a pair and issue its
// products while those of the pair before still run. A multiprocessor has two blocks if tiles have 128 columns, and else one.
template <int WIDTH, int PLACES, bool OVERLAPPED>
__global__ void __launch_bounds__(THREADS, TILE_N / WIDTH + 1) matmul_in_place(
    bf16* c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int m, int n, int k)
{
    extern __shared__ __align__(1024) bf16 stages[];
    __shared__ Barrier loaded[PLACES];
    int left = blockIdx.x * WIDTH, top = blockIdx.y * TILE_M;
    Engine<WIDTH, PLACES> engine{stages, loaded, a, b, left, top, k};
    engine.make_barriers();
    for (int i = 0; i < PLACES - 1; ++i) engine.ask(i);

    float sums[WIDTH / 2];
    int group = threadIdx.x / WARP_GROUP, warp = threadIdx.x / 32 % 4;
    for (int i = 0; i * TILE_K < k; ++i) {
        const bf16* pair = stages + i % PLACES * engine.PAIR;
        const bf16* a_tile = pair + group * 64 * TILE_K;
        const bf16* b_tile = pair + TILE_M * TILE_K;
        wait(loaded[i % PLACES], i / PLACES % 2);
        if (!OVERLAPPED) {
            // All products of the pair before have ended.
            __syncthreads();
            engine.ask(i + PLACES - 1);
        }
        begin_products();
        for (int j = 0; j < TILE_K; j += 16)
            wgmma(sums, tile_descriptor(a_tile + j, 0), tile_descriptor(b_tile + j * BOX, BOX * TILE_K * sizeof(bf16)), i + j > 0);
        end_products();
        wait_for_products<OVERLAPPED>();
        if (OVERLAPPED) {
            __syncthreads();
            engine.ask(i + PLACES - 1);
        }
    }
    wait_for_products<0>();
    for (int x = 0; x < WIDTH; x += 16) store_pair(c, &sums[x / 2], left + x, top + group * 64 + warp * 16, n, m);
}
// [/matmul_in_place]

struct Product {
    bf16 *a, *b, *c;
    int m, n, k;
    dim3 tiles(int width) const { return dim3(n / width, m / TILE_M); }
};

using ByThreads = void (*)(bf16*, const bf16*, const bf16*, int, int, int);
using ByEngine = void (*)(bf16*, CUtensorMap, CUtensorMap, int, int, int);

void launch(const Product& p, ByThreads kernel)
{
    constexpr int bytes = STAGES * STAGE * sizeof(bf16);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<p.tiles(TILE_N), THREADS, bytes>>>(p.c, p.a, p.b, p.m, p.n, p.k);
}

void launch(const Product& p, ByEngine kernel, dim3 blocks, int threads, int elements)
{
    int bytes = elements * int(sizeof(bf16));
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, threads, bytes>>>(p.c, tensor_map(p.a, p.k, p.m, TILE_M), tensor_map(p.b, p.n, p.k, TILE_K), p.m, p.n, p.k);
}

template <int WIDTH, int PLACES, bool OVERLAPPED>
void launch_in_place(const Product& p)
{
    launch(p, matmul_in_place<WIDTH, PLACES, OVERLAPPED>, p.tiles(WIDTH), THREADS, PLACES * Engine<WIDTH, PLACES>::PAIR);
}

unsigned multiprocessors()
{
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return unsigned(count);
}

void launch_wgmma(const Product& p, unsigned most_blocks)
{
    dim3 tiles = p.tiles(WIDE_N);
    launch(p, matmul_wgmma, std::min(tiles.x * tiles.y, most_blocks), WGMMA_THREADS, WGMMA_STAGES * WGMMA_STAGE);
}

struct Kernel {
    const char* name;
    void (*launch)(const Product&);
    std::vector<double> ms, cycles;
};

// [parts_of_a_pipeline]
// Each kernel has one change more than the kernel above it.
std::vector<Kernel> kernels()
{
    return {
        {"stages", [](const Product& p) { launch(p, matmul_stages); }},
        // The threads compute the addresses of their units once, and then advance them.
        {"addresses_once", [](const Product& p) { launch(p, matmul_addresses_once); }},
        // One thread asks the copy engine for tiles, and waits for them.
        {"engine", [](const Product& p) { launch(p, matmul_engine, p.tiles(TILE_N), THREADS, STAGES * STAGE); }},
        // Every thread waits for them.
        {"tma", [](const Product& p) { launch(p, matmul_tma, p.tiles(TILE_N), THREADS, STAGES * STAGE); }},
        // The tensor cores read the tiles where they lie.
        {"in_place", launch_in_place<TILE_N, STAGES, false>},
        // Products run while the next pair is waited for.
        {"overlapped", launch_in_place<TILE_N, STAGES, true>},
        // One block on a multiprocessor: the shared memory of the next kernel leaves no room for a second one.
        {"one_block",
            [](const Product& p) {
                launch(p, matmul_in_place<TILE_N, STAGES, true>, p.tiles(TILE_N), THREADS, STAGES * WGMMA_STAGE);
            }},
        // A tile of 128 x 256.
        {"wide", launch_in_place<WIDE_N, STAGES, true>},
        // Four places.
        {"four_places", launch_in_place<WIDE_N, WGMMA_STAGES, true>},
        // A producer and two consumers.
        {"roles", [](const Product& p) { launch_wgmma(p, ~0u); }},
        // Blocks that stay for several tiles.
        {"wgmma", [](const Product& p) { launch_wgmma(p, multiprocessors()); }},
    };
}
// [/parts_of_a_pipeline]

// Whole numbers, whose products and sums are exact.
__global__ void fill(bf16* matrix, size_t count, unsigned seed, int most)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned bits = (unsigned(i) + seed) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    if (i < count) matrix[i] = __float2bfloat16(float(int((bits >> 8) % (2 * most + 1)) - most));
}

// A product whose inputs are filled with numbers up to `most`.
Product make_product(int m, int n, int k, unsigned seed, int most)
{
    Product p{nullptr, nullptr, nullptr, m, n, k};
    cudaMalloc(&p.a, sizeof(bf16) * m * k);
    cudaMalloc(&p.b, sizeof(bf16) * k * n);
    cudaMalloc(&p.c, sizeof(bf16) * m * n);
    fill<<<unsigned(size_t(m) * k / 256), 256>>>(p.a, size_t(m) * k, seed, most);
    fill<<<unsigned(size_t(k) * n / 256), 256>>>(p.b, size_t(k) * n, seed + 98, most);
    return p;
}

std::vector<float> from_device(const bf16* matrix, size_t count)
{
    std::vector<bf16> copy(count);
    cudaMemcpy(copy.data(), matrix, count * sizeof(bf16), cudaMemcpyDeviceToHost);
    std::vector<float> floats;
    for (bf16 element : copy) floats.push_back(__bfloat162float(element));
    return floats;
}

// The number of wrong elements of a small product that is deep enough to use each place again.
size_t wrong_elements(const std::vector<Kernel>& all)
{
    constexpr int m = 256, n = 256, k = 320;
    Product p = make_product(m, n, k, 1, 8);
    std::vector<float> a = from_device(p.a, m * k), b = from_device(p.b, k * n), right(m * n);
    for (int y = 0; y < m; ++y)
        for (int i = 0; i < k; ++i)
            for (int x = 0; x < n; ++x) right[y * n + x] += a[y * k + i] * b[i * n + x];

    size_t wrong = 0;
    for (const Kernel& kernel : all) {
        cudaMemset(p.c, 0xFF, sizeof(bf16) * m * n);
        kernel.launch(p);
        std::vector<float> c = from_device(p.c, m * n);
        for (int i = 0; i < m * n; ++i) wrong += c[i] != __bfloat162float(__float2bfloat16(right[i]));
    }
    return wrong;
}

// Two clocks when all launches before have ended: that of a multiprocessor, which counts on from launch to launch, and the GPU's.
struct Clocks {
    long long cycles, nanoseconds;
};

// To be launched with many blocks, of which some come to that multiprocessor.
__global__ void read_clocks(Clocks* clocks)
{
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (multiprocessor > 0) return;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clocks->cycles));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(clocks->nanoseconds));
}

double median(std::vector<double> numbers)
{
    std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
    return numbers[numbers.size() / 2];
}

void measure(std::vector<Kernel>& all)
{
    constexpr int n = 8192, settling = 20, rounds = 80;
    // A launch finds nothing of its matrices in the L2, because the launch before reads others.
    Product products[] = {make_product(n, n, n, 1, 128), make_product(n, n, n, 1234, 128)};
    int launches = 0;
    Clocks *clocks, seen[2];
    cudaMalloc(&clocks, sizeof(seen));
    for (int round = 0; round < settling + rounds; ++round) {
        for (Kernel& kernel : all) {
            read_clocks<<<1024, 1>>>(&clocks[0]);
            double ms = milliseconds(1, [&] { kernel.launch(products[launches++ % 2]); }).back();
            read_clocks<<<1024, 1>>>(&clocks[1]);
            cudaMemcpy(seen, clocks, sizeof(seen), cudaMemcpyDeviceToHost);
            if (round < settling) continue;
            double ghz = double(seen[1].cycles - seen[0].cycles) / double(seen[1].nanoseconds - seen[0].nanoseconds);
            kernel.ms.push_back(ms);
            kernel.cycles.push_back(ghz * ms * 1e6);
        }
        // A kernel that takes much power lowers the clock of the next one, too.
        std::reverse(all.begin(), all.end());
    }
    for (const Kernel& kernel : all) {
        std::printf("figure %s_tflops %.5g\n", kernel.name, 2. * n * n * n / median(kernel.ms) / 1e9);
        std::printf("figure %s_cycles %.6g\n", kernel.name, median(kernel.cycles));
    }
}

int main()
{
    std::vector<Kernel> all = kernels();
    size_t wrong = wrong_elements(all);
    std::printf("%zu elements are wrong\n", wrong);
    // The model has no time.
    if (!std::isnan(milliseconds(1, [] {}).back())) measure(all);
    return wrong != 0;
}
