// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Finds the smallest of n integers and its place, which is the first where several are equal.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

// BEGIN SOLUTION
constexpr int MOST_BLOCKS = 64;

// The minimum of each block with its place, and the number of blocks that have finished.
__device__ int found_value[MOST_BLOCKS], found_place[MOST_BLOCKS];
__device__ unsigned done;

// Returns whether a number at a place comes before another one.
__device__ bool is_before(int value, int place, int other_value, int other_place)
{
    return value < other_value || (value == other_value && place < other_place);
}

// Stores the smallest of all threads' numbers and its place in value[0] and place[0]. There are two arrays: in an array of
// pairs, neighboring lanes would be two words apart.
__device__ void reduce(int* value, int* place, int my_value, int my_place)
{
    int tid = threadIdx.x;
    value[tid] = my_value;
    place[tid] = my_place;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s) {
            int other_value = value[tid + s], other_place = place[tid + s];
            if (is_before(other_value, other_place, my_value, my_place)) {
                value[tid] = my_value = other_value;
                place[tid] = my_place = other_place;
            }
        }
        __syncthreads();
    }
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ int value[BLOCK], place[BLOCK];
    __shared__ bool is_last;
    int tid = threadIdx.x;

    // Each thread looks at many numbers before the block meets in shared memory.
    int my_value = INT_MAX, my_place = INT_MAX;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK)
        if (is_before(numbers[i], i, my_value, my_place)) {
            my_value = numbers[i];
            my_place = i;
        }
    reduce(value, place, my_value, my_place);

    // The block that draws the last ticket finds the results of all the others.
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
    bool is_one = tid < gridDim.x;
    my_value = is_one ? found_value[tid] : INT_MAX;
    my_place = is_one ? found_place[tid] : INT_MAX;
    reduce(value, place, my_value, my_place);
    if (tid == 0) {
        minimum[0] = value[0];
        minimum[1] = place[0];
        done = 0;
    }
}
// INSTEAD
// |struct Candidate {
// |    int value, place;
// |};
// |
// |// Finds the smallest number of each block, but does not store it.
// |__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
// |{
// |    __shared__ Candidate candidates[BLOCK];
// |    int tid = threadIdx.x;
// |    int i = blockIdx.x * BLOCK + tid;
// |    candidates[tid].value = i < n ? numbers[i] : INT_MAX;
// |    candidates[tid].place = i;
// |    __syncthreads();
// |
// |    for (int s = BLOCK / 2; s > 0; s /= 2) {
// |        if (tid < s && candidates[tid + s].value < candidates[tid].value)
// |            candidates[tid] = candidates[tid + s];
// |        __syncthreads();
// |    }
// |}
// END SOLUTION

// Writes the smallest of n numbers to minimum[0] and its place, from 0, to minimum[1]. Device memory; n is at least 1.
void find_minimum(int* minimum, const int* numbers, int n)
{
    // BEGIN SOLUTION
    int blocks = min(MOST_BLOCKS, (n - 1) / BLOCK + 1);
    // INSTEAD
    // |    int blocks = (n - 1) / BLOCK + 1;
    // END SOLUTION
    minimum_kernel<<<blocks, BLOCK>>>(minimum, numbers, n);
}
