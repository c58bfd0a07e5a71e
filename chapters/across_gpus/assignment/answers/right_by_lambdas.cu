// Right: a constexpr function makes a table of the ranks' parts, which is an argument of the kernel; lambdas move the tiles.

#include <cuda_runtime.h>

namespace {

constexpr int SIDE = 32, MOST_RANKS = 16;

struct Part {
    int first_column, columns, before;
};

struct Parts {
    Part of[MOST_RANKS];
};

constexpr int first_of(int count, int rank, int ranks) { return int(static_cast<long long>(count) * rank / ranks); }

template <class Move> __device__ __forceinline__ void for_each_row(Move move)
{
    for (int row = threadIdx.x / SIDE; row < SIDE; row += blockDim.x / SIDE)
        move(row, threadIdx.x % SIDE);
}

__global__ void send_tiles(float* __restrict__ send, const float* __restrict__ input, const Parts parts, int width, int rows)
{
    __shared__ float tile[SIDE * SIDE];
    const Part part = parts.of[blockIdx.z];
    const int left = blockIdx.y * SIDE, top = blockIdx.x * SIDE;

    for_each_row([&](int row, int lane) {
        if (top + row < rows && left + lane < part.columns)
            tile[row * SIDE + (lane ^ row)] = input[(top + row) * width + part.first_column + left + lane];
    });
    __syncthreads();
    for_each_row([&](int column, int lane) {
        if (left + column < part.columns && top + lane < rows)
            send[(part.before + left + column) * rows + top + lane] = tile[lane * SIDE + (column ^ lane)];
    });
}

}  // namespace

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    const int rows = first_of(height, rank + 1, ranks) - first_of(height, rank, ranks);
    Parts parts{};
    int before = 0, most = 0;
    for (int i = 0; i < ranks; i++) {
        const int other = (rank + 1 + i) % ranks, first = first_of(width, other, ranks);
        parts.of[i] = {first, first_of(width, other + 1, ranks) - first, before};
        before += parts.of[i].columns;
        most = max(most, parts.of[i].columns);
    }
    if (rows > 0 && most > 0)
        send_tiles<<<dim3((rows + SIDE - 1) / SIDE, (most + SIDE - 1) / SIDE, ranks), 512>>>(send, input, parts, width, rows);
}
