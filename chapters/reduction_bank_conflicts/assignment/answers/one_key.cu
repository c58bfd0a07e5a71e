// Right: value and place make one key of 64 bits, and the smallest key has the result.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int MOST_BLOCKS = 96;
constexpr unsigned long long NONE = ~0ull;

__device__ unsigned long long smallest = NONE;
__device__ unsigned done;

// A smaller number has a smaller key, and the first of equal numbers has the smallest.
__device__ unsigned long long key_of(int value, int place)
{
    unsigned long long ordered = (unsigned)value ^ 0x80000000u;
    return ordered << 32 | (unsigned)place;
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ unsigned long long keys[BLOCK];
    int tid = threadIdx.x;

    unsigned long long mine = NONE;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK)
        mine = min(mine, key_of(numbers[i], i));
    keys[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            keys[tid] = min(keys[tid], keys[tid + s]);
        __syncthreads();
    }

    if (tid == 0) {
        atomicMin(&smallest, keys[0]);
        __threadfence();
        if (atomicAdd(&done, 1) == gridDim.x - 1) {
            unsigned long long key = atomicExch(&smallest, NONE);
            minimum[0] = (int)((unsigned)(key >> 32) ^ 0x80000000u);
            minimum[1] = (int)(unsigned)key;
            done = 0;
        }
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<min(MOST_BLOCKS, (n - 1) / BLOCK + 1), BLOCK>>>(minimum, numbers, n);
}
