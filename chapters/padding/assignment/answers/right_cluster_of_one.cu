// Right: each block is a cluster of its own, and the cluster's barrier separates the loads from the stores.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int TILE = 32, ROWS = 8;

__global__ void __cluster_dims__(1, 1, 1) transpose(double* output, const double* input, int width, int height)
{
    __shared__ double tile[TILE][TILE + 1];
    cg::cluster_group cluster = cg::this_cluster();
    dim3 block = cg::this_thread_block().group_index(), thread = cg::this_thread_block().thread_index();

    for (int row = thread.y; row < TILE; row += ROWS) {
        int x = block.x * TILE + thread.x, y = block.y * TILE + row;
        if (x < width && y < height)
            tile[row][thread.x] = input[y * width + x];
    }
    cluster.sync();
    for (int row = thread.y; row < TILE; row += ROWS) {
        int x = block.y * TILE + thread.x, y = block.x * TILE + row;
        if (x < height && y < width)
            output[y * height + x] = tile[thread.x][row];
    }
}

void transpose_doubles(double* output, const double* input, int width, int height)
{
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<<<grid, dim3(TILE, ROWS)>>>(output, input, width, height);
}
