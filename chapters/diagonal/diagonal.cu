// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Does it matter in which order blocks go through a matrix?
//
// The padded transpose has no excess left, yet on a GPU of 2008 it reached a sixth of the copy. Two
// kernels with half of its work isolate the cause. A third removes it: each block has another tile.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
// [/constants]

// [transpose_cartesian]
__global__ void transpose_cartesian(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // Successive blocks store tiles that lie below each other.
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_cartesian]

// [transpose_fine_grained]
__global__ void transpose_fine_grained(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // Transposed inside the tile, written where a copy writes. In a cut
    // tile, an element whose mirror image is outside keeps its place.
    int mirror_x = blockIdx.x * TILE_DIM + threadIdx.y;
    int mirror_y = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height) {
            bool mirrored = mirror_x + j < width && mirror_y < height;
            int row = mirrored ? threadIdx.x : threadIdx.y + j;
            int column = mirrored ? threadIdx.y + j : threadIdx.x;
            output[(y + j) * width + x] = tile[row][column];
        }
}
// [/transpose_fine_grained]

// [transpose_coarse_grained]
__global__ void transpose_coarse_grained(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // Written where a transpose writes, not transposed inside the tile.
    // In a cut tile, an element that would fall outside is transposed.
    int to_x = blockIdx.y * TILE_DIM + threadIdx.x;
    int to_y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (to_x < height && to_y + j < width) {
            bool upright = x < width && y + j < height;
            int row = upright ? threadIdx.y + j : threadIdx.x;
            int column = upright ? threadIdx.x : threadIdx.y + j;
            output[(to_y + j) * height + to_x] = tile[row][column];
        }
}
// [/transpose_coarse_grained]

// [transpose_diagonal]
__global__ void transpose_diagonal(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Successive blocks take tiles down a diagonal: one row down and one
    // column to the right, both wrapped around, in a grid of any shape.
    int block_number = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_y = block_number % gridDim.y;
    int tile_x = (block_number / gridDim.y + tile_y) % gridDim.x;
    int x = tile_x * TILE_DIM + threadIdx.x;
    int y = tile_y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = tile_y * TILE_DIM + threadIdx.x;
    y = tile_x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_diagonal]

// [transpose_diagonal_square]
__global__ void transpose_diagonal_square(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // The same order, for grids that are as wide as high.
    int tile_y = blockIdx.x;
    int tile_x = (blockIdx.y + tile_y) % gridDim.x;
    int x = tile_x * TILE_DIM + threadIdx.x;
    int y = tile_y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = tile_y * TILE_DIM + threadIdx.x;
    y = tile_x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_diagonal_square]

// [transpose_diagonal_unpadded]
__global__ void transpose_diagonal_unpadded(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int block_number = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_y = block_number % gridDim.y;
    int tile_x = (block_number / gridDim.y + tile_y) % gridDim.x;
    int x = tile_x * TILE_DIM + threadIdx.x;
    int y = tile_y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    // Bad again: 32 lanes read 32 words of one bank.
    x = tile_y * TILE_DIM + threadIdx.x;
    y = tile_x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_diagonal_unpadded]

// [transpose_pitched]
__global__ void transpose_pitched(float* output, const float* input, int width, int height, int padding)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // Each row begins so many floats after the previous one.
    int input_pitch = width + padding;
    int output_pitch = height + padding;
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * input_pitch + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * output_pitch + x] = tile[threadIdx.x][threadIdx.y + j];
}
// [/transpose_pitched]

// [launch]
dim3 grid_of(int width, int height)
{
    return dim3((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
constexpr int PITCH_PADDING = 32;
// [/launch]

// [entry]
using namespace conflict_free;

template <auto kernel>
void launch(const Matrices<float>& m)
{
    kernel<<<grid_of(m.width, m.height), block>>>(m.output, m.input, m.width, m.height);
}

// The counts of all kernels with a padded tile, and the number of partitions that their stores use at a time.
std::vector<Expectation> ideal_and(Expectation partitions_of_stores)
{
    return {on("gt200", std::move(partitions_of_stores)), global_load.sectors_per_request == 4,
        global_store.sectors_per_request == 4, shared_store.conflicts == 0, shared_load.conflicts == 0,
        on("gt200", shared_load.conflicts == 0), on("gt200", partitions_per_step.load == 8)};
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("diagonal", "Does it matter in which order blocks go through a matrix?");
    chapter.sizes({{2048, 2048}, {2048, 512}, {1000, 700}, {33, 33}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);
    chapter.traffic_sizes({{16384, 16384}});

    chapter.add({.name = "transpose_cartesian",
        .launch = launch<transpose_cartesian>,
        .expected = transposed<float>,
        .expect = ideal_and(partitions_per_step.store < 2)});

    chapter.add({.name = "transpose_fine_grained",
        .launch = launch<transpose_fine_grained>,
        .expected = transposed_in_tiles<TILE_DIM, float>,
        .expect = ideal_and(partitions_per_step.store == 8)});

    chapter.add({.name = "transpose_coarse_grained",
        .launch = launch<transpose_coarse_grained>,
        .expected = tiles_transposed<TILE_DIM, float>,
        .expect = ideal_and(partitions_per_step.store < 2)});

    chapter.add({.name = "transpose_diagonal",
        .launch = launch<transpose_diagonal>,
        .expected = transposed<float>,
        .expect = ideal_and(partitions_per_step.store == 8)});

    chapter.add({.name = "transpose_diagonal_square",
        .launch = launch<transpose_diagonal_square>,
        .expected = transposed<float>,
        .expect = ideal_and(partitions_per_step.store == 8),
        .sizes = square_sizes()});

    chapter.add({.name = "transpose_diagonal_unpadded",
        .launch = launch<transpose_diagonal_unpadded>,
        .expected = transposed<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            shared_load.wavefronts_per_instruction == 32,
            on("gt200", shared_load.wavefronts_per_instruction == 32),
            on("gt200", partitions_per_step.store == 8)}});

    chapter.add({.name = "transpose_pitched",
        .launch =
            [](const Matrices<float>& m) {
                transpose_pitched<<<grid_of(m.width, m.height), block>>>(
                    m.output, m.input, m.width, m.height, m.row_padding);
            },
        .expected = transposed<float>,
        .expect = ideal_and(partitions_per_step.store < 2),
        .row_padding = PITCH_PADDING});

    return chapter.run(argc, argv);
}
// [/entry]
