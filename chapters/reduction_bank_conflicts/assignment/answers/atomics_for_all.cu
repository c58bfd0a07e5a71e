// Wrong: the number and its place are right, but each number takes an atomic operation in global memory.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr unsigned long long NONE = ~0ull;

__device__ unsigned long long smallest = NONE;
__device__ unsigned done;

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        unsigned long long ordered = (unsigned)numbers[i] ^ 0x80000000u;
        atomicMin(&smallest, ordered << 32 | (unsigned)i);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
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
    minimum_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(minimum, numbers, n);
}
