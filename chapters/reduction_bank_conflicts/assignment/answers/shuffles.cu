// Right: lanes exchange values in registers, and each warp stores two words for the others.

#include <climits>
#include <cuda_runtime.h>

constexpr int WARP = 32;
constexpr int WARPS = 8;
constexpr int BLOCK = WARP * WARPS;
constexpr int MOST_BLOCKS = 32;
constexpr unsigned ALL = 0xFFFFFFFFu;

__device__ int found_value[MOST_BLOCKS], found_place[MOST_BLOCKS];
__device__ unsigned tickets;

struct Candidate {
    int value = INT_MAX, place = INT_MAX;
};

__device__ void take(Candidate& mine, int value, int place)
{
    if (value < mine.value || (value == mine.value && place < mine.place)) {
        mine.value = value;
        mine.place = place;
    }
}

__device__ void reduce_warp(Candidate& mine)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        int value = __shfl_xor_sync(ALL, mine.value, distance), place = __shfl_xor_sync(ALL, mine.place, distance);
        take(mine, value, place);
    }
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    __shared__ int value[WARPS], place[WARPS];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

    Candidate mine;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        take(mine, numbers[i], i);
    reduce_warp(mine);
    if (lane == 0) {
        value[warp] = mine.value;
        place[warp] = mine.place;
    }
    __syncthreads();
    if (warp != 0)
        return;

    mine = Candidate();
    if (lane < WARPS)
        take(mine, value[lane], place[lane]);
    reduce_warp(mine);

    // The first warp of the last block reads the results of all blocks.
    bool is_last = false;
    if (lane == 0) {
        found_value[blockIdx.x] = mine.value;
        found_place[blockIdx.x] = mine.place;
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    if (!__shfl_sync(ALL, is_last, 0))
        return;
    __threadfence();
    mine = Candidate();
    if (lane < gridDim.x)
        take(mine, found_value[lane], found_place[lane]);
    reduce_warp(mine);
    if (lane == 0) {
        minimum[0] = mine.value;
        minimum[1] = mine.place;
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    minimum_kernel<<<min(MOST_BLOCKS, (n - 1) / BLOCK + 1), BLOCK>>>(minimum, numbers, n);
}
