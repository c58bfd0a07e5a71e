// Wrong: one block does all of it, on one multiprocessor.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 1024;

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
    int tid = threadIdx.x;
    int my_value = INT_MAX, my_place = INT_MAX;
    for (int i = tid; i < n; i += BLOCK) {
        int number = numbers[i];
        if (is_before(number, i, my_value, my_place)) {
            my_value = number;
            my_place = i;
        }
    }
    reduce(value, place, my_value, my_place);
    if (tid == 0) {
        minimum[0] = value[0];
        minimum[1] = place[0];
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<1, BLOCK>>>(minimum, numbers, n);
}
