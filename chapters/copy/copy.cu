// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How fast can a kernel move a matrix?
//
// A copy reads every element once and writes it once. No kernel that moves a matrix moves fewer
// bytes. The first kernel has one load in flight per thread, the second has four. The third has
// four as well, and takes a detour through shared memory, as the transposes after it do.

#include <conflict_free/matrix_chapter.hpp>
#include <conflict_free/matrix_references.hpp>

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;
// [/constants]

// [copy_plain]
__global__ void copy_plain(float* output, const float* input, int width, int height)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // The 32 lanes of a warp share y and have neighboring x:
    // both accesses touch one run of 128 bytes.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[(y + j) * width + x] = input[(y + j) * width + x];
}
// [/copy_plain]

// [copy_four_loads]
__global__ void copy_four_loads(float* output, const float* input, int width, int height)
{
    float values[TILE_DIM / BLOCK_ROWS];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    // No store stands between the four loads, so that all of
    // them are in flight at once.
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            values[j / BLOCK_ROWS] = input[(y + j) * width + x];

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[(y + j) * width + x] = values[j / BLOCK_ROWS];
}
// [/copy_four_loads]

// [copy_shared]
__global__ void copy_shared(float* output, const float* input, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];

    // Each thread reads back what it wrote itself: this barrier
    // orders nothing. A transpose will need it.
    __syncthreads();

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            output[(y + j) * width + x] = tile[threadIdx.y + j][threadIdx.x];
}
// [/copy_shared]

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
    kernel<<<grid_of(m.width, m.height), block>>>(m.output, m.input, m.width, m.height);
}

int main(int argc, char** argv)
{
    MatrixChapter<float> chapter("copy", "How fast can a kernel move a matrix?");
    chapter.sizes({{2048, 2048}, {4096, 1024}, {1000, 700}, {33, 31}, {31, 33}, {1, 7}, {1, 1}});
    chapter.gpu_sizes({{16384, 16384}, {8192, 8192}, {8191, 16385}, {16385, 8191}});
    chapter.traffic_sizes({{16384, 16384}, {8191, 16385}});
    chapter.whole_tiles(TILE_DIM);

    chapter.add_baseline({.name = "cudaMemcpy",
        .launch =
            [](const Matrices<float>& m) {
                std::size_t bytes = sizeof(float) * m.width * m.height;
                CUDA_CHECK(cudaMemcpyAsync(m.output, m.input, bytes, cudaMemcpyDeviceToDevice));
            },
        .expected = copied<float>});

    chapter.add({.name = "copy_plain",
        .launch = launch<copy_plain>,
        .expected = copied<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4}});

    chapter.add({.name = "copy_four_loads",
        .launch = launch<copy_four_loads>,
        .expected = copied<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            shared_store.instructions == 0}});

    chapter.add({.name = "copy_shared",
        .launch = launch<copy_shared>,
        .expected = copied<float>,
        .expect = {global_load.sectors_per_request == 4, global_store.sectors_per_request == 4,
            shared_store.conflicts == 0, shared_load.conflicts == 0}});

    return chapter.run(argc, argv);
}
// [/entry]
