// Right: tiles of cooperative groups add up by cg::reduce, in a grid-stride loop over the rows.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <unsigned Lanes> __global__ void __launch_bounds__(128) sum_by_tiles(float* sums, const float* matrix, int width, int height)
{
    auto tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
    const int tiles = gridDim.x * tile.meta_group_size();
    for (int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank(); row < height; row += tiles) {
        float sum = 0;
        for (int x = tile.thread_rank(); x < width; x += tile.size())
            sum += matrix[static_cast<size_t>(row) * width + x];
        sum = cg::reduce(tile, sum, cg::plus<float>());
        if (tile.thread_rank() == 0)
            sums[row] = sum;
    }
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    sum_by_tiles<32><<<(height + 3) / 4, 128>>>(sums, matrix, width, height);
}
