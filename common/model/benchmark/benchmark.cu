// Measures how many accesses the model makes in a second, counted and not counted, and how many operations it executes.
// Run by hand with a name as argument, it measures the kernels alone whose names contain it, for a profile.
//
// Each kernel runs once to allocate its memory, then several times for the measurement. The time is processor time, so that other
// programs disturb it little: the printed speed is that of one core. SIMT_LAUNCHES in the environment, set by `benchmark` of
// CMakeLists.txt, is the number of launches of each kernel that are counted.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "model_results.hpp"

namespace {

constexpr int N = 2048, TILE = 32, ROWS = 8;
constexpr int RUNS = 5;

__global__ void copy(float* output, const float* input) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[(y + j) * N + x] = input[(y + j) * N + x];
}

__global__ void transpose_naive(float* output, const float* input) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[x * N + y + j] = input[(y + j) * N + x];
}

template <int padding> __global__ void transpose_tile(float* output, const float* input) {
    __shared__ float tile[TILE][TILE + padding];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * N + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) output[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int block> __global__ void reduce(float* sums, const float* input) {
    __shared__ float partial[block];
    unsigned tid = threadIdx.x;
    partial[tid] = input[blockIdx.x * block + tid];
    __syncthreads();
    for (unsigned s = block / 2; s > 0; s /= 2) {
        if (tid < s) partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = partial[0];
}

/// Accesses of single threads in a reduction with blocks of `block`: all load and store an element; in each step half of
/// the threads load two and store one; the first loads and stores the sum.
long accesses_of_reduction(long block) { return long{N} * N / block * (2 * block + 3 * (block - 1) + 2); }

constexpr int GATHERED = 1 << 20;

__global__ void gather(float* output, const float* input, const int* index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = input[index[i]];
}

constexpr int PART = 1024, KEYS = 1 << 18;

/// Compares and exchanges the two keys of a thread in a step. Returns whether it exchanges them.
__host__ __device__ bool compare(int* part, int thread, int size, int stride) {
    const int low = 2 * thread - (thread & (stride - 1)), high = low + stride;
    const int a = part[low], b = part[high];
    if ((a > b) != ((thread & size / 2) == 0)) return false;
    part[low] = b, part[high] = a;
    return true;
}

/// Sorts each PART keys by a bitonic network.
__global__ void sort_parts(int* sorted, const int* keys) {
    __shared__ int part[PART];
    const int tid = threadIdx.x;
    sorted += blockIdx.x * PART, keys += blockIdx.x * PART;
    for (int i = tid; i < PART; i += PART / 2) part[i] = keys[i];
    for (int size = 2; size <= PART; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            compare(part, tid, size, stride);
        }
    __syncthreads();
    for (int i = tid; i < PART; i += PART / 2) sorted[i] = part[i];
}

/// Accesses of single threads in sort_parts(). Sorts the keys.
long accesses_of_sort(std::vector<int> keys) {
    long accesses = 4 * KEYS;
    for (int first = 0; first < KEYS; first += PART)
        for (int size = 2; size <= PART; size *= 2)
            for (int stride = size / 2; stride > 0; stride /= 2)
                for (int thread = 0; thread < PART / 2; ++thread) accesses += compare(&keys[first], thread, size, stride) ? 4 : 2;
    return accesses;
}

constexpr int ROUNDS = 64, OPERATIONS_OF_A_ROUND = 8, THREADS = 1 << 18;

/// Each result depends on the ones before, so that the compiler keeps all operations.
__global__ void calculate(float* output) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bits = i;
    float x = static_cast<float>(i), y = 1.0f;
    for (int round = 0; round < ROUNDS; ++round) {
        x = fmaf(x, 0.75f, y);
        y = x * 0.5f;
        x = x + y;
        y = fminf(y, x);
        bits = bits * 1664525u + i;
        i = i ^ bits;
        bits = bits + i;
        i = i >> 1;
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = x + y + static_cast<float>(i ^ bits);
}

float *input, *output;
const char* wanted = "";

/// Processor seconds of the fastest run.
double seconds_of(const std::function<void()>& launch) {
    double least = 1e9;
    for (int run = 0; run < RUNS; ++run) {
        // Otherwise the model would know the result of a launch that it has made, and would not execute it.
        cudaMemset(output, run, sizeof(float) * N * N);
        const std::clock_t start = std::clock();
        launch();
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

void measure(const char* name, long accesses, const std::function<void()>& launch) {
    if (!std::strstr(name, wanted)) return;
    launch();
    const double counted = seconds_of(launch);
    const std::size_t counted_launches = model::take_launches().size();
    const double uncounted = seconds_of(launch);
    if (cudaGetLastError() != cudaSuccess || !model::take_hazards().empty()) std::printf("%s failed\n", name);
    if (counted_launches != RUNS + 1 || !model::take_launches().empty()) std::printf("SIMT_LAUNCHES is not %d\n", RUNS + 1);
    const double millions = static_cast<double>(accesses) / 1e6;
    std::printf("%-34s %12ld %9.1f %12.1f %7.1f\n", name, accesses, millions / counted, millions / uncounted, counted / uncounted);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) wanted = argv[1];
    constexpr long elements = long{N} * N;
    std::mt19937 random(1);
    std::vector<int> numbers(elements);
    for (int& number : numbers) number = static_cast<int>(random() % GATHERED);
    int* index;
    for (void** memory : {reinterpret_cast<void**>(&input), reinterpret_cast<void**>(&output), reinterpret_cast<void**>(&index)})
        if (cudaMalloc(memory, sizeof(float) * N * N) != cudaSuccess) return 1;
    cudaMemcpy(index, numbers.data(), sizeof(int) * N * N, cudaMemcpyHostToDevice);
    cudaMemset(input, 0, sizeof(float) * N * N);

    const dim3 tiles(N / TILE, N / TILE), threads(TILE, ROWS);
    std::printf("%-34s %12s %9s %12s %7s\n", "", "accesses", "million/s", "not counted", "ratio");
    measure("copy", 2 * elements, [=] { copy<<<tiles, threads>>>(output, input); });
    measure("transpose, naive", 2 * elements, [=] { transpose_naive<<<tiles, threads>>>(output, input); });
    measure("transpose, tile without padding", 4 * elements, [=] { transpose_tile<0><<<tiles, threads>>>(output, input); });
    measure("transpose, padded tile", 4 * elements, [=] { transpose_tile<1><<<tiles, threads>>>(output, input); });
    measure("reduction, blocks of 256 threads", accesses_of_reduction(256), [=] { reduce<256><<<N * N / 256, 256>>>(output, input); });
    measure("reduction, blocks of 1024 threads", accesses_of_reduction(1024), [=] { reduce<1024><<<N * N / 1024, 1024>>>(output, input); });
    measure("gather, random", 3 * GATHERED, [=] { gather<<<GATHERED / 256, 256>>>(output, input, index); });
    measure("sort, bitonic", accesses_of_sort({numbers.begin(), numbers.begin() + KEYS}),
            [=] { sort_parts<<<KEYS / PART, PART / 2>>>(reinterpret_cast<int*>(output), index); });
    std::printf("%-34s %12s\n", "", "operations");
    measure("arithmetic", long{THREADS} * ROUNDS * OPERATIONS_OF_A_ROUND, [=] { calculate<<<THREADS / 256, 256>>>(output); });
    return 0;
}
