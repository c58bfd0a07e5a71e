// Right: the host makes a table of the blocks, and hands it to the kernel as an argument. This rank's own block has a launch of
// its own, so that the others can be sent while it is written.

#include <cuda_runtime.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 16;
constexpr int MOST_RANKS = 64;

// Returns the first of the `count` rows or columns that belong to `rank`. Its last one precedes the first of rank + 1.
__host__ __device__ inline int first(int count, int rank, int ranks)
{
    return static_cast<long long>(count) * rank / ranks;
}

// A block for another rank: its columns of the input, and the address of the transposed columns.
struct Block {
    const float* source;
    float* destination;
    int columns;
};

struct Blocks {
    Block block[MOST_RANKS];
    int count;
};

__global__ void transpose_blocks(const __grid_constant__ Blocks blocks, int rows, int width)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const Block& block = blocks.block[blockIdx.z];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < block.columns && y + j < rows)
            tile[threadIdx.x][threadIdx.y + j] = block.source[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < block.columns)
            block.destination[(y + j) * rows + x] = tile[threadIdx.y + j][threadIdx.x];
}

void launch(const Blocks& blocks, int rows, int width)
{
    int most = 0;
    for (int i = 0; i < blocks.count; i++)
        most = max(most, blocks.block[i].columns);
    if (rows > 0 && most > 0)
        transpose_blocks<<<dim3((most + 31) / 32, (rows + 31) / 32, blocks.count), dim3(TILE_DIM, BLOCK_ROWS)>>>(blocks, rows, width);
}

void all_to_all_order(float* send, const float* input, int rank, int ranks, int width, int height)
{
    int rows = first(height, rank + 1, ranks) - first(height, rank, ranks);
    Blocks others = {}, own = {};
    for (int i = 1; i <= ranks; i++) {
        int other = (rank + i) % ranks, begin = first(width, other, ranks), columns = first(width, other + 1, ranks) - begin;
        Blocks& blocks = i < ranks ? others : own;
        blocks.block[blocks.count++] = {input + begin, send, columns};
        send += columns * rows;
    }
    launch(others, rows, width);
    launch(own, rows, width);
}
