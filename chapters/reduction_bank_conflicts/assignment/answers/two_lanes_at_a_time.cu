// The number and its place are right, but each number is compared by an atomic operation, two lanes at a time.

#include <cuda_runtime.h>

constexpr int BLOCK = 32;

__device__ unsigned long long first_of_smallest;

// A smaller number has a smaller key, and so has an earlier place.
__device__ unsigned long long key_of(int number, int place)
{
    return (unsigned long long)((unsigned)number ^ 0x80000000u) << 32 | (unsigned)place;
}

__global__ void begin() { first_of_smallest = ~0ull; }

__global__ void minimum_kernel(const int* numbers, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned long long key = i < n ? key_of(numbers[i], i) : ~0ull;
    for (int turn = 0; turn < BLOCK / 2; ++turn)
        if (threadIdx.x / 2 == turn && i < n)
            atomicMin(&first_of_smallest, key);
}

__global__ void write(int* minimum)
{
    minimum[0] = (int)((unsigned)(first_of_smallest >> 32) ^ 0x80000000u);
    minimum[1] = (int)first_of_smallest;
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    begin<<<1, 1>>>();
    minimum_kernel<<<(n - 1) / BLOCK + 1, BLOCK>>>(numbers, n);
    write<<<1, 1>>>(minimum);
}
