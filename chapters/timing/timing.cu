// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What does a loop inside the kernel measure?
//
// The classic series was first timed with the repetitions inside the kernel: its time then contains
// one launch, and a block repeats its work on the same tile. Here are its eight kernels in that
// form. What each repeats is the kernel of its own chapter, word for word.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int NUM_REPS = 100;

template <auto work>
__device__ void repeat(float* output, const float* input, int width, int height, int repetitions)
{
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        work(output, input, width, height);

        // No warp may store into the tile again while another one still
        // loads from it. The classic loop has no such barrier, and races.
        __syncthreads();
    }
}
// [/constants]

// [copy_plain_repeated]
__device__ void copy_plain(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[(y + j) * width + x] = input[(y + j) * width + x];
}

__global__ void copy_plain_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<copy_plain>(output, input, width, height, repetitions);
}
// [/copy_plain_repeated]

// [copy_shared_repeated]
__device__ void copy_shared(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[(y + j) * width + x] = tile[threadIdx.y + j][threadIdx.x];
}

__global__ void copy_shared_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<copy_shared>(output, input, width, height, repetitions);
}
// [/copy_shared_repeated]

// [transpose_naive_row_read_repeated]
__device__ void transpose_naive_row_read(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[x * height + (y + j)] = input[(y + j) * width + x];
}

__global__ void transpose_naive_row_read_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_naive_row_read>(output, input, width, height, repetitions);
}
// [/transpose_naive_row_read_repeated]

// [transpose_coalesced_repeated]
__device__ void transpose_coalesced(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_coalesced_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_coalesced>(output, input, width, height, repetitions);
}
// [/transpose_coalesced_repeated]

// [transpose_padded_repeated]
__device__ void transpose_padded(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_padded_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_padded>(output, input, width, height, repetitions);
}
// [/transpose_padded_repeated]

// [transpose_fine_grained_repeated]
__device__ void transpose_fine_grained(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

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

__global__ void transpose_fine_grained_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_fine_grained>(output, input, width, height, repetitions);
}
// [/transpose_fine_grained_repeated]

// [transpose_coarse_grained_repeated]
__device__ void transpose_coarse_grained(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    __syncthreads();

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

__global__ void transpose_coarse_grained_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_coarse_grained>(output, input, width, height, repetitions);
}
// [/transpose_coarse_grained_repeated]

// [transpose_diagonal_repeated]
__device__ void transpose_diagonal(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

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

__global__ void transpose_diagonal_repeated(
    float* output, const float* input, int width, int height, int repetitions)
{
    repeat<transpose_diagonal>(output, input, width, height, repetitions);
}
// [/transpose_diagonal_repeated]

// [launch]
dim3 grid_of(int width, int height)
{
    return dim3((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
}

const dim3 block(TILE_DIM, BLOCK_ROWS);
// [/launch]

// [entry]
using namespace conflict_free;

template <auto kernel>
void launch(const Matrices<float>& m)
{
    kernel<<<grid_of(m.width, m.height), block>>>(m.output, m.input, m.width, m.height, m.repetitions);
}

using Chapters = MatrixChapter<float>;

// A kernel with coalesced loads, and what else its counts must be.
Chapters::Kernel repeated(std::string name, Chapters::LaunchFunction launch, Chapters::Reference expected,
    std::vector<Expectation> expect)
{
    expect.push_back(global_load.sectors_per_request == 4);
    return {.name = std::move(name),
        .launch = std::move(launch),
        .expected = expected,
        .expect = std::move(expect),
        .repetitions = NUM_REPS};
}

int main(int argc, char** argv)
{
    Chapters chapter("timing", "What does a loop inside the kernel measure?");
    chapter.sizes({{2048, 2048}, {1024, 256}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}});
    chapter.whole_tiles(TILE_DIM);

    const Expectation coalesced = global_store.sectors_per_request == 4;
    const std::vector<Expectation> ideal{
        coalesced, shared_store.conflicts == 0, shared_load.conflicts == 0};

    chapter.add(repeated("copy_plain_repeated", launch<copy_plain_repeated>, copied<float>, {coalesced}));

    chapter.add(repeated("copy_shared_repeated", launch<copy_shared_repeated>, copied<float>, ideal));

    chapter.add(repeated("transpose_naive_row_read_repeated", launch<transpose_naive_row_read_repeated>,
        transposed<float>, {global_store.sectors_per_request == 32}));

    chapter.add(
        repeated("transpose_coalesced_repeated", launch<transpose_coalesced_repeated>, transposed<float>,
            {coalesced, shared_store.conflicts == 0, shared_load.wavefronts_per_instruction == 32}));

    chapter.add(
        repeated("transpose_padded_repeated", launch<transpose_padded_repeated>, transposed<float>, ideal));

    chapter.add(repeated("transpose_fine_grained_repeated", launch<transpose_fine_grained_repeated>,
        transposed_in_tiles<TILE_DIM, float>, ideal));

    chapter.add(repeated("transpose_coarse_grained_repeated", launch<transpose_coarse_grained_repeated>,
        tiles_transposed<TILE_DIM, float>, ideal));

    chapter.add(repeated(
        "transpose_diagonal_repeated", launch<transpose_diagonal_repeated>, transposed<float>, ideal));

    return chapter.run(argc, argv);
}
// [/entry]
