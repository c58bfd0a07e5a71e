// Right: each block takes its tile from a queue, and the words of a row are rotated by the row's number.

#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int next_tile;
__global__ void reset() { next_tile = 0; }

// There are as many blocks as tiles, and the first block that asks gets the next tile.
__global__ void turn(unsigned* __restrict__ output, const unsigned* __restrict__ input, int width, int height, int across)
{
    __shared__ unsigned tile[32 * 32];
    __shared__ int mine;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        mine = atomicAdd(&next_tile, 1);
    block.sync();
    const int left = mine % across * 32, top = mine / across * 32, lane = threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
        if (top + r < height && left + lane < width)
            tile[r * 32 + (lane + r) % 32] = input[(top + r) * width + left + lane];
    block.sync();
    for (int c = threadIdx.y; c < 32; c += blockDim.y)
        if (top + lane < height && left + c < width)
            output[(left + c) * height + height - 1 - top - lane] = tile[lane * 32 + (c + lane) % 32];
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    int across = (width + 31) / 32, down = (height + 31) / 32;
    reset<<<1, 1>>>();
    turn<<<across * down, dim3(32, 4)>>>(output, input, width, height, across);
}
