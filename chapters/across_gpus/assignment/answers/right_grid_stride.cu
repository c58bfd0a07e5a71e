// Right: a grid-stride loop takes the blocks through the tiles of all ranks, with barriers of cooperative groups.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class Number> __host__ __device__ constexpr Number share(Number count, Number part, Number parts)
{
    return static_cast<Number>(static_cast<long long>(count) * part / parts);
}

template <int Side, int Rows> __global__ void send_all(float* send, const float* input, int rank, int ranks, int width, int rows, int across)
{
    __shared__ float tile[Side][Side + 1];
    const cg::thread_block block = cg::this_thread_block();
    const int down = (rows + Side - 1) / Side, start = share(width, (rank + 1) % ranks, ranks);
    for (int number = blockIdx.x; number < across * down * ranks; number += gridDim.x) {
        const int to = number / (across * down), left = number % across * Side, top = number / across % down * Side;
        const int begin = share(width, to, ranks), columns = share(width, to + 1, ranks) - begin;
        if (left >= columns) continue;
        const float* from = input + begin;
        float* out = send + static_cast<size_t>((begin - start + width) % width) * rows;
        for (int y = threadIdx.y; y < Side; y += Rows)
            if (left + threadIdx.x < columns && top + y < rows) tile[y][threadIdx.x] = from[(top + y) * width + left + threadIdx.x];
        block.sync();
        for (int x = threadIdx.y; x < Side; x += Rows)
            if (left + x < columns && top + threadIdx.x < rows) out[(left + x) * rows + top + threadIdx.x] = tile[threadIdx.x][x];
        block.sync();
    }
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    constexpr int side = 32, rows_of_threads = 16;
    const int rows = share(height, rank + 1, ranks) - share(height, rank, ranks);
    const int across = ((width + ranks - 1) / ranks + side - 1) / side, tiles = across * ((rows + side - 1) / side) * ranks;
    if (tiles)
        send_all<side, rows_of_threads>
            <<<min(tiles, 1056), dim3(side, rows_of_threads)>>>(send, input, rank, ranks, width, rows, across);
}
