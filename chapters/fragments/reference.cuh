// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The inputs of the chapter, and what its kernels should compute.
#pragma once

#include <conflict_free/matrix_chapter.hpp>

#include <cuda_fp16.h>

#include <algorithm>

#include "instructions.cuh"

// Whole numbers from -4 to 3: every sum of 64 products is a whole number that a half holds exactly.
void fill_random(std::span<half> values, std::uint64_t seed)
{
    conflict_free::parallel_for(values.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            values[i] = static_cast<float>(conflict_free::random_bits(seed, i) >> 61) - 4.0f;
    });
}

template <>
std::string conflict_free::detail::element_text(const half& element)
{
    return number_text(static_cast<float>(element));
}

// A row of tiles as floats, and one row of their products: the elements of a row are asked for in turn.
struct RowOfTiles {
    const half* input = nullptr;
    conflict_free::Size size;
    std::size_t top = 0, row = 0;
    std::vector<float> values, products;

    void take(const half* new_input, conflict_free::Size new_size, std::size_t new_row)
    {
        const std::size_t new_top = new_row / TILE_DIM * TILE_DIM, width = new_size.width;
        const bool is_other =
            input != new_input || size.width != new_size.width || size.height != new_size.height;
        if (!is_other && row == new_row)
            return;
        if (is_other || top != new_top) {
            values.assign(TILE_DIM * width, 0.0f);
            const std::size_t rows = std::min<std::size_t>(TILE_DIM, new_size.height - new_top);
            std::copy_n(&new_input[new_top * width], rows * width, values.begin());
        }
        input = new_input, size = new_size, top = new_top, row = new_row;
        multiply();
    }

    void multiply()
    {
        const std::size_t width = size.width;
        products.assign(width, 0.0f);
        for (std::size_t left = 0; left < width; left += TILE_DIM) {
            const std::size_t columns = std::min<std::size_t>(TILE_DIM, width - left);
            for (std::size_t k = 0; k < columns; ++k) {
                const float factor = values[(row - top) * width + left + k];
                for (std::size_t i = left; i < left + columns; ++i)
                    products[i] += factor * values[k * width + i];
            }
        }
    }
};

// Each tile of 64 x 64 multiplied with itself. A tile that the edge cuts is filled up with zeros.
half squared_in_tiles(const half* input, conflict_free::Size size, std::size_t index)
{
    thread_local RowOfTiles tiles;
    tiles.take(input, size, index / size.width);
    return tiles.products[index % size.width];
}
