// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// "More room for tiles is always faster", and "measure with zeros": the product of matmul_ordered with room for two, three and four
// pairs of tiles. One block looks at the clock when it asks for a pair, when the pair has arrived, before and after its products are
// issued, and when it knows that they have ended.

#include "milliseconds.cuh"

#include <matmul/tensor_map.cuh>
#include <matmul/wgmma.cuh>

#include <algorithm>
#include <cstdio>

struct Clocks {
    long long asked, arrived, begun, issued, ended;
};

// Stays where it stands among loads and products.
__device__ long long now()
{
    long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

// [pairs_in_flight]
template <int PLACES, bool WATCHED>
__global__ void __launch_bounds__(WGMMA_THREADS, 1) pairs_in_flight(bf16* c, const __grid_constant__ CUtensorMap a,
    const __grid_constant__ CUtensorMap b, int n, Clocks* clocks, long long* cycles)
{
    extern __shared__ __align__(1024) bf16 places[];
    __shared__ Barrier loaded[PLACES], used[PLACES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < PLACES; ++i) {
            make_barrier(loaded[i], 1);
            make_barrier(used[i], CONSUMERS);
        }
        publish_barriers();
    }
    __syncthreads();

    int tiles_down = n / TILE_M, tiles_across = n / WIDE_N, tiles = tiles_down * tiles_across;
    int step = 0, group = threadIdx.x / WARP_GROUP;
    bool watched = WATCHED && blockIdx.x == 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        for (int turn = blockIdx.x; turn < tiles; turn += gridDim.x) {
            int2 tile = InGroups<16>::tile(turn, tiles_down, tiles_across);
            for (int i = 0; i < n; i += TILE_K, ++step) {
                int place = step % PLACES;
                bf16* a_tile = places + place * WGMMA_STAGE;
                bf16* b_tile = a_tile + TILE_M * TILE_K;
                if (threadIdx.x == 0) {
                    wait(used[place], (step / PLACES + 1) % 2);
                    if (watched) clocks[step].asked = now();
                    arrive_and_expect(loaded[place], WGMMA_STAGE * sizeof(bf16));
                    copy_box(a_tile, a, i, tile.y * TILE_M, loaded[place]);
                    for (int x = 0; x < WIDE_N; x += BOX) copy_box(b_tile + x * TILE_K, b, tile.x * WIDE_N + x, i, loaded[place]);
                }
                // Another warp of the producer sees each pair arrive.
                if (watched && threadIdx.x == 32) {
                    wait(loaded[place], step / PLACES % 2);
                    clocks[step].arrived = now();
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        int consumer = group - 1, warp = threadIdx.x / 32 % 4;
        bool first = watched && threadIdx.x == WARP_GROUP;
        long long start = now();
        for (int turn = blockIdx.x; turn < tiles; turn += gridDim.x) {
            float sums[128];
            for (int i = 0; i < n; i += TILE_K, ++step) {
                int place = step % PLACES;
                const bf16* a_tile = places + place * WGMMA_STAGE + consumer * 64 * TILE_K;
                const bf16* b_tile = places + place * WGMMA_STAGE + TILE_M * TILE_K;
                wait(loaded[place], step / PLACES % 2);
                if (first) clocks[step].begun = now();
                begin_products();
                for (int j = 0; j < TILE_K; j += 16)
                    wgmma(sums, tile_descriptor(a_tile + j, 0), tile_descriptor(b_tile + j * BOX, BOX * TILE_K * sizeof(bf16)), i + j > 0);
                end_products();
                if (first) clocks[step].issued = now();
                wait_for_products<1>();
                if (first && i > 0) clocks[step - 1].ended = now();
                if (i > 0 && threadIdx.x % WARP_GROUP == 0) arrive(used[(step + PLACES - 1) % PLACES]);
            }
            wait_for_products<0>();
            if (first) clocks[step - 1].ended = now();
            if (threadIdx.x % WARP_GROUP == 0) arrive(used[(step + PLACES - 1) % PLACES]);

            int2 tile = InGroups<16>::tile(turn, tiles_down, tiles_across);
            int y = tile.y * TILE_M + consumer * 64 + warp * 16;
            for (int x = 0; x < WIDE_N; x += 16) store_pair(c, &sums[x / 2], tile.x * WIDE_N + x, y, n, n);
        }
        if (blockIdx.x == 0 && threadIdx.x == WARP_GROUP) *cycles = now() - start;
    }
}
// [/pairs_in_flight]

constexpr int small_n = 256, large_n = 8192, launches = 3;

// Whole numbers, whose products and sums are exact.
__global__ void fill(bf16* matrix, size_t count, unsigned seed, int most)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned bits = (unsigned(i) + seed) * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    if (i < count) matrix[i] = __float2bfloat16(float(int((bits >> 8) % (2 * most + 1)) - most));
}

struct Square {
    bf16 *a, *b, *c;
    Clocks* clocks;
    long long* cycles;
};

template <int PLACES, bool WATCHED>
void launch(const Square& s, int n)
{
    auto kernel = pairs_in_flight<PLACES, WATCHED>;
    int bytes = PLACES * WGMMA_STAGE * int(sizeof(bf16)), multiprocessors = 0;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    int tiles = n / TILE_M * (n / WIDE_N);
    kernel<<<tiles < multiprocessors ? tiles : multiprocessors, WGMMA_THREADS, bytes>>>(
        s.c, tensor_map(s.a, n, n, TILE_M), tensor_map(s.b, n, n, TILE_K), n, s.clocks, s.cycles);
}

// The number of wrong elements of a small product.
template <int PLACES>
size_t wrong_elements(const Square& s)
{
    size_t count = size_t(small_n) * small_n, wrong = 0;
    fill<<<unsigned(count / 256), 256>>>(s.a, count, 1, 8);
    fill<<<unsigned(count / 256), 256>>>(s.b, count, 99, 8);
    cudaMemset(s.c, 0xFF, count * sizeof(bf16));
    launch<PLACES, true>(s, small_n);
    std::vector<bf16> a(count), b(count), c(count);
    cudaMemcpy(a.data(), s.a, count * sizeof(bf16), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), s.b, count * sizeof(bf16), cudaMemcpyDeviceToHost);
    cudaMemcpy(c.data(), s.c, count * sizeof(bf16), cudaMemcpyDeviceToHost);
    for (int y = 0; y < small_n; ++y)
        for (int x = 0; x < small_n; ++x) {
            float sum = 0;
            for (int k = 0; k < small_n; ++k) sum += __bfloat162float(a[y * small_n + k]) * __bfloat162float(b[k * small_n + x]);
            wrong += __bfloat162float(c[y * small_n + x]) != __bfloat162float(__float2bfloat16(sum));
        }
    return wrong;
}

// Prints how long it takes from a pair's arrival until the place of the pair before is asked for again, and the share of pairs that a
// consumer waits for.
template <int PLACES>
void print_waits(const std::vector<Clocks>& all)
{
    double again = 0;
    int counted = 0, late = 0, pairs_of_a_tile = large_n / TILE_K;
    for (int i = 1; i + PLACES < int(all.size()); ++i) {
        // Between two tiles the consumers store.
        if (i % pairs_of_a_tile == 0 || i % pairs_of_a_tile + PLACES >= pairs_of_a_tile) continue;
        again += double(all[i + PLACES].asked - all[i + 1].arrived);
        late += all[i + 1].arrived > all[i - 1].ended;
        ++counted;
    }
    std::printf("figure places_%d_again_cycles %.5g\n", PLACES, again / counted);
    std::printf("figure places_%d_late_percent %.5g\n", PLACES, 100. * late / counted);
}

// Prints the cycles of a pair, and how long a pair takes to arrive while all multiprocessors work.
template <int PLACES>
void print_pairs(const Square& s)
{
    int pairs = 0, multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    for (int turn = 0; turn < large_n / TILE_M * (large_n / WIDE_N); turn += multiprocessors) pairs += large_n / TILE_K;
    for (int i = 0; i < launches; ++i) launch<PLACES, false>(s, large_n);
    long long cycles;
    cudaMemcpy(&cycles, s.cycles, sizeof(cycles), cudaMemcpyDeviceToHost);
    std::printf("figure places_%d_cycles_a_pair %.5g\n", PLACES, double(cycles) / pairs);

    for (int i = 0; i < launches; ++i) launch<PLACES, true>(s, large_n);
    std::vector<Clocks> all(pairs);
    cudaMemcpy(all.data(), s.clocks, pairs * sizeof(Clocks), cudaMemcpyDeviceToHost);
    // Sums of the cycles that the first pairs took to arrive: of none, of one, of two and so on.
    std::vector<double> arriving(1);
    std::vector<long long> each;
    for (const Clocks& pair : all) {
        each.push_back(pair.arrived - pair.asked);
        arriving.push_back(arriving.back() + double(each.back()));
    }
    std::nth_element(each.begin(), each.begin() + pairs / 2, each.end());
    std::printf("figure places_%d_arriving_cycles %.5g\n", PLACES, arriving.back() / pairs);
    std::printf("figure places_%d_arriving_median_cycles %lld\n", PLACES, each[pairs / 2]);

    print_waits<PLACES>(all);

    // Some neighboring pairs that take as long to arrive as all do on average.
    constexpr int shown = 14;
    auto unlike_all = [&](int first) { return std::abs((arriving[first + shown] - arriving[first]) / shown - arriving.back() / pairs); };
    int first = pairs / 4;
    for (int i = first; i < pairs * 3 / 4; ++i)
        if (unlike_all(i) < unlike_all(first)) first = i;
    for (int i = 0; i < shown; ++i) {
        const Clocks& pair = all[first + i];
        long long zero = all[first].asked;
        auto print = [&](const char* what, long long clock) {
            std::printf("figure places_%d_pair_%d_%s %lld\n", PLACES, i, what, clock - zero);
        };
        print("asked", pair.asked);
        print("arrived", pair.arrived);
        print("begun", pair.begun);
        print("issued", pair.issued);
        print("ended", pair.ended);
    }
}

// Prints the operations a second of launches that follow one another without a pause, long enough for the clock to settle.
void print_speed(const Square& s, const char* of)
{
    constexpr int repeats = 500;
    float ms = milliseconds(2, [&] {
        for (int i = 0; i < repeats; ++i) launch<4, false>(s, large_n);
    }).back();
    std::printf("figure %s_tflops %.5g\n", of, 2. * large_n * large_n * large_n * repeats / ms / 1e9);
}

int main()
{
    Square s{};
    size_t bytes = sizeof(bf16) * large_n * large_n;
    for (bf16** matrix : {&s.a, &s.b, &s.c}) cudaMalloc(matrix, bytes);
    cudaMalloc(&s.clocks, sizeof(Clocks) * (large_n / TILE_M) * (large_n / WIDE_N) * (large_n / TILE_K));
    cudaMalloc(&s.cycles, sizeof(long long));
    size_t wrong = wrong_elements<2>(s) + wrong_elements<3>(s) + wrong_elements<4>(s);
    std::printf("%zu elements are wrong\n", wrong);

    bool has_time = !std::isnan(milliseconds(1, [] {}).back());
    // The model has no time.
    if (has_time) {
        fill<<<large_n * (large_n / 256), 256>>>(s.a, size_t(large_n) * large_n, 1, 128);
        fill<<<large_n * (large_n / 256), 256>>>(s.b, size_t(large_n) * large_n, 99, 128);
        print_pairs<2>(s);
        print_pairs<3>(s);
        print_pairs<4>(s);
        print_speed(s, "random");
        cudaMemset(s.a, 0, bytes);
        cudaMemset(s.b, 0, bytes);
        print_speed(s, "zeros");
    }
    return wrong != 0;
}
