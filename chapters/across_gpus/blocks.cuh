// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How a matrix is split by rows over the ranks, and the blocks that go from rank to rank.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace across_gpus {

// [blocks]
constexpr int MOST_RANKS = 64;

// The block of one rank for another: `rows` x `columns` floats of its input, each row `source_pitch`
// after the one before. Transposed, each of `columns` rows is `destination_pitch` after another.
struct Block {
    const float* source;
    float* destination;
    std::size_t source_pitch, destination_pitch;
    int rows, columns;
};

// A rank's blocks, the first for the rank after it, the last for itself.
struct Blocks {
    Block block[MOST_RANKS];
    int count;
};
// [/blocks]

// [split]
// Where the rows of `rank` begin: at a multiple of 4, so that 16 bytes are of one rank.
__host__ __device__ inline std::size_t first_row(std::size_t rows, int rank, int ranks)
{
    return rank == ranks ? rows : rows * rank / ranks / 4 * 4;
}

__host__ __device__ inline int rows_of(std::size_t rows, int rank, int ranks)
{
    return static_cast<int>(first_row(rows, rank + 1, ranks) - first_row(rows, rank, ranks));
}
// [/split]

// [flags]
// Each rank has a flag for each other. `count` is how often this rank has met the others.
struct Flags {
    unsigned* of[MOST_RANKS];
    unsigned* count;
    int rank, ranks;
};
// [/flags]

}  // namespace across_gpus
