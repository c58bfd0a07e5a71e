// Right, in C style: macros, a tree unrolled by hand, and two arrays in one.

#include <cuda_runtime.h>
#include <limits.h>

#define THREADS 512
#define BLOCKS 32
#define BETTER(i, j) (pool[j] < pool[i] || (pool[j] == pool[i] && pool[THREADS + (j)] < pool[THREADS + (i)]))
#define STEP(half)                                                      \
    if (t < (half) && BETTER(t, t + (half))) {                          \
        pool[t] = pool[t + (half)];                                     \
        pool[THREADS + t] = pool[THREADS + t + (half)];                 \
    }                                                                   \
    __syncthreads()

static __device__ int left_behind[2 * BLOCKS];
static __device__ unsigned finished;

static __device__ __forceinline__ void tree(int* pool, int value, int place)
{
    int t = threadIdx.x;
    pool[t] = value;
    pool[THREADS + t] = place;
    __syncthreads();
    STEP(256);
    STEP(128);
    STEP(64);
    STEP(32);
    STEP(16);
    STEP(8);
    STEP(4);
    STEP(2);
    STEP(1);
}

extern "C" __global__ void __launch_bounds__(THREADS) minimum_of(int* minimum, const int* numbers, int n)
{
    __shared__ int pool[2 * THREADS];
    __shared__ unsigned ticket;
    int i, value = INT_MAX, place = INT_MAX;

    for (i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        if (numbers[i] < value || place == INT_MAX) {
            value = numbers[i];
            place = i;
        }
    tree(pool, value, place);
    if (threadIdx.x == 0) {
        left_behind[2 * blockIdx.x] = pool[0];
        left_behind[2 * blockIdx.x + 1] = pool[THREADS];
        __threadfence();
        ticket = atomicInc(&finished, gridDim.x - 1);
    }
    __syncthreads();
    if (ticket != gridDim.x - 1) return;
    __threadfence();
    i = threadIdx.x;
    tree(pool, i < gridDim.x ? left_behind[2 * i] : INT_MAX, i < gridDim.x ? left_behind[2 * i + 1] : INT_MAX);
    if (i == 0) {
        minimum[0] = pool[0];
        minimum[1] = pool[THREADS];
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    int blocks = (n - 1) / THREADS + 1;
    minimum_of<<<blocks < BLOCKS ? blocks : BLOCKS, THREADS>>>(minimum, numbers, n);
}
