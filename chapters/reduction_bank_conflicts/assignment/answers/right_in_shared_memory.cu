// Right: the tree compares what stands in shared memory, and keeps nothing in registers.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int MOST_BLOCKS = 64;

__device__ int found_value[MOST_BLOCKS], found_place[MOST_BLOCKS];
__device__ unsigned done;

__device__ bool is_before(int value, int place, int other_value, int other_place)
{
    return value < other_value || (value == other_value && place < other_place);
}

__device__ void reduce(int* value, int* place, int my_value, int my_place)
{
    int tid = threadIdx.x;
    value[tid] = my_value;
    place[tid] = my_place;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s && is_before(value[tid + s], place[tid + s], value[tid], place[tid])) {
            value[tid] = value[tid + s];
            place[tid] = place[tid + s];
        }
        __syncthreads();
    }
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ int value[BLOCK], place[BLOCK];
    __shared__ bool is_last;
    int tid = threadIdx.x;

    int my_value = INT_MAX, my_place = INT_MAX;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK) {
        int number = numbers[i];
        if (is_before(number, i, my_value, my_place)) {
            my_value = number;
            my_place = i;
        }
    }
    reduce(value, place, my_value, my_place);

    if (tid == 0) {
        found_value[blockIdx.x] = value[0];
        found_place[blockIdx.x] = place[0];
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    __threadfence();
    my_value = tid < gridDim.x ? found_value[tid] : INT_MAX;
    my_place = tid < gridDim.x ? found_place[tid] : INT_MAX;
    reduce(value, place, my_value, my_place);
    if (tid == 0) {
        minimum[0] = value[0];
        minimum[1] = place[0];
        done = 0;
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<min(MOST_BLOCKS, (n - 1) / BLOCK + 1), BLOCK>>>(minimum, numbers, n);
}
