// Right: a warp takes 32 rows, tile by tile. It reads a tile along its rows, then each lane adds up one row.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int Tile> __global__ void sum_tiles(float* sums, const float* matrix, int width, int height)
{
    __shared__ float tile[Tile][Tile + 1];
    cg::thread_block warp = cg::this_thread_block();
    int lane = warp.thread_rank();
    int first = blockIdx.x * Tile;

    float sum = 0;
    for (int left = 0; left < width; left += Tile) {
        for (int row = 0; row < Tile; row++) {
            bool inside = left + lane < width && first + row < height;
            tile[row][lane] = inside ? matrix[(first + row) * width + left + lane] : 0;
        }
        warp.sync();
        for (int column = 0; column < Tile; column++)
            sum += tile[lane][column];
        warp.sync();
    }
    if (first + lane < height)
        sums[first + lane] = sum;
}

void sum_rows(float* sums, const float* matrix, int width, int height)
{
    sum_tiles<32><<<(height + 31) / 32, 32>>>(sums, matrix, width, height);
}
