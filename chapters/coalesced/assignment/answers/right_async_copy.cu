// Right: pixels go to shared memory by asynchronous copies, and blocks take one tile after another.

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

static constexpr int SIDE = 32;

__global__ void __launch_bounds__(256) rotate_by_copies(unsigned* output, const unsigned* input, int width, int height)
{
    __shared__ unsigned tile[SIDE][SIDE + 1];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int lane = warp.thread_rank(), first = warp.meta_group_rank(), warps = warp.meta_group_size();
    const int across = (width + SIDE - 1) / SIDE, tiles = across * ((height + SIDE - 1) / SIDE);

    for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
        const int left = number % across * SIDE, top = number / across * SIDE;
        for (int row = first; row < SIDE; row += warps)
            if (left + lane < width && top + row < height)
                __pipeline_memcpy_async(&tile[row][lane], &input[(top + row) * width + left + lane], sizeof(unsigned));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        block.sync();
        for (int column = first; column < SIDE; column += warps)
            if (left + column < width && top + lane < height)
                output[(left + column) * height + (height - 1 - top - lane)] = tile[lane][column];
        block.sync();
    }
}

void rotate(unsigned* output, const unsigned* input, int width, int height)
{
    int tiles = ((width + SIDE - 1) / SIDE) * ((height + SIDE - 1) / SIDE);
    rotate_by_copies<<<min(tiles, 528), 256>>>(output, input, width, height);
}
