// Right: a pair is an int2, which one access of 8 bytes reads or writes, half a warp at a time, without a conflict.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int MOST_BLOCKS = 64;

__device__ int2 found[MOST_BLOCKS];
__device__ unsigned done;

__device__ int2 first_of(int2 a, int2 b)
{
    return b.x < a.x || (b.x == a.x && b.y < a.y) ? b : a;
}

__device__ void reduce(int2* pairs, int2 mine)
{
    int tid = threadIdx.x;
    pairs[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s) {
            int2 other = pairs[tid + s];
            mine = first_of(mine, other);
            pairs[tid] = mine;
        }
        __syncthreads();
    }
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ int2 pairs[BLOCK];
    __shared__ bool is_last;
    int tid = threadIdx.x;

    const int2 none = make_int2(INT_MAX, INT_MAX);
    int2 mine = none;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK)
        mine = first_of(mine, make_int2(numbers[i], i));
    reduce(pairs, mine);
    if (tid == 0) {
        found[blockIdx.x] = pairs[0];
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    __threadfence();
    reduce(pairs, tid < gridDim.x ? found[tid] : none);
    if (tid == 0) {
        minimum[0] = pairs[0].x;
        minimum[1] = pairs[0].y;
        done = 0;
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<min(MOST_BLOCKS, (n - 1) / BLOCK + 1), BLOCK>>>(minimum, numbers, n);
}
