// In a cooperative launch, all blocks wait in a loop at the grid's barrier, as they could if they took turns.

#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int BLOCK = 256, MOST_BLOCKS = 32;

__device__ long long found[MOST_BLOCKS];

struct Smaller {
    __device__ long long operator()(long long a, long long b) const { return a < b ? a : b; }
};

// Returns the smallest of all threads' values, in all threads of the block's first warp.
__device__ long long smallest_of_block(cg::thread_block block, long long mine)
{
    __shared__ long long warps[BLOCK / 32];
    auto warp = cg::tiled_partition<32>(block);
    mine = cg::reduce(warp, mine, Smaller());
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = mine;
    block.sync();
    return cg::reduce(warp, warp.thread_rank() < BLOCK / 32 ? warps[warp.thread_rank()] : LLONG_MAX, Smaller());
}

__global__ void minimum_kernel(int* minimum, const int* numbers, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();

    long long mine = LLONG_MAX;
    for (auto i = grid.thread_rank(); i < n; i += grid.size())
        mine = Smaller()(mine, static_cast<long long>(numbers[i]) << 32 | i);
    mine = smallest_of_block(block, mine);
    if (block.thread_rank() == 0)
        found[blockIdx.x] = mine;
    grid.sync();
    if (blockIdx.x > 0)
        return;

    mine = smallest_of_block(block, block.thread_rank() < gridDim.x ? found[block.thread_rank()] : LLONG_MAX);
    if (block.thread_rank() == 0) {
        minimum[0] = static_cast<int>(mine >> 32);
        minimum[1] = static_cast<int>(mine & 0xffffffff);
    }
}

void find_minimum(int* minimum, const int* numbers, int n)
{
    void* arguments[] = {&minimum, &numbers, &n};
    const int blocks = (n - 1) / BLOCK + 1;
    cudaLaunchCooperativeKernel(minimum_kernel, blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS, BLOCK, arguments, 0, nullptr);
}
