// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Fills a rank's rows with numbers that tell where they belong, and checks a transposed rank's rows against them. It
// shares nothing with the kernels that transpose.

#include <algorithm>
#include <cstdint>

#include "errors.hpp"
#include "rank.hpp"

namespace across_gpus {
namespace {

// A float in [0, 1) for each place of the input.
__device__ float value_at(std::uint64_t row, std::uint64_t column)
{
    std::uint64_t x =
        row * 0x9E3779B97F4A7C15ull ^ (column + 0x632BE59BD9B4E019ull) * 0xD6E8FEB86659FD93ull;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;
    x ^= x >> 29;
    return (x >> 40) * (1.0f / (1 << 24));
}

// Rows `first` to `first + rows` of a matrix of `columns` columns.
__global__ void fill_rows(float* matrix, std::size_t first, std::size_t rows, std::size_t columns)
{
    for (std::size_t y = blockIdx.y; y < rows; y += gridDim.y)
        for (std::size_t x = blockIdx.x * blockDim.x + threadIdx.x; x < columns;
            x += gridDim.x * blockDim.x)
            matrix[y * columns + x] = value_at(first + y, x);
}

// Counts the wrong elements in rows `first` to `first + rows` of the transpose, which has `columns` columns.
__global__ void check_rows(const float* matrix, std::size_t first, std::size_t rows, std::size_t columns,
    unsigned long long* wrong)
{
    unsigned long long mine = 0;
    for (std::size_t y = blockIdx.y; y < rows; y += gridDim.y)
        for (std::size_t x = blockIdx.x * blockDim.x + threadIdx.x; x < columns;
            x += gridDim.x * blockDim.x)
            mine += !(matrix[y * columns + x] == value_at(x, first + y));
    if (mine > 0)
        atomicAdd(wrong, mine);
}

dim3 grid_for(int rows) { return dim3(8, std::min(rows, 4096)); }

}  // namespace

void fill_input(const Rank& rank)
{
    if (const int rows = rank.rows(rank.rank); rows > 0)
        fill_rows<<<grid_for(rows), 256, 0, rank.stream>>>(
            rank.input(), rank.row(rank.rank), rows, rank.width);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(rank.stream));
}

unsigned long long count_wrong(const Rank& rank)
{
    unsigned long long result = 0;
    CHECK(cudaMemsetAsync(rank.wrong, 0, sizeof(result), rank.stream));
    if (const int rows = rank.columns(rank.rank); rows > 0)
        check_rows<<<grid_for(rows), 256, 0, rank.stream>>>(
            rank.output(), rank.column(rank.rank), rows, rank.height, rank.wrong);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&result, rank.wrong, sizeof(result), cudaMemcpyDeviceToHost, rank.stream));
    CHECK(cudaStreamSynchronize(rank.stream));
    return result;
}

}  // namespace across_gpus
