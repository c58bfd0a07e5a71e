// Wrong: in an array of pairs, neighboring lanes are two words apart, and half of them meet in a bank.

#include <climits>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int MOST_BLOCKS = 64;

struct Candidate {
    int value, place;
};

__device__ Candidate found[MOST_BLOCKS];
__device__ unsigned done;

__device__ bool is_before(Candidate a, Candidate b)
{
    return a.value < b.value || (a.value == b.value && a.place < b.place);
}

__device__ void reduce(Candidate* candidates, Candidate mine)
{
    int tid = threadIdx.x;
    candidates[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s && is_before(candidates[tid + s], candidates[tid]))
            candidates[tid] = candidates[tid + s];
        __syncthreads();
    }
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ Candidate candidates[BLOCK];
    __shared__ bool is_last;
    int tid = threadIdx.x;

    const Candidate none = {INT_MAX, INT_MAX};
    Candidate mine = none;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK) {
        Candidate other = {numbers[i], i};
        if (is_before(other, mine))
            mine = other;
    }
    reduce(candidates, mine);

    if (tid == 0) {
        found[blockIdx.x] = candidates[0];
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    __threadfence();
    reduce(candidates, tid < gridDim.x ? found[tid] : none);
    if (tid == 0) {
        minimum[0] = candidates[0].value;
        minimum[1] = candidates[0].place;
        done = 0;
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<min(MOST_BLOCKS, (n - 1) / BLOCK + 1), BLOCK>>>(minimum, numbers, n);
}
