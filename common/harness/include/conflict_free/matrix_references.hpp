// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// References for kernels on matrices: element `index` of the output, given the input and its size.
#pragma once

#include <cstddef>

#include "conflict_free/size.hpp"

namespace conflict_free {

/// A copy of the input.
template <class Element> Element copied(const Element* input, Size, std::size_t index) { return input[index]; }

/// The transpose: the output has width rows of height elements.
template <class Element> Element transposed(const Element* input, Size size, std::size_t index) {
    const std::size_t row = index / size.height, column = index % size.height;
    return input[column * size.width + row];
}

/// Each tile transposed in its place: the output is a matrix as large as the input. Where a tile is cut by the edge, an
/// element whose mirror image lies outside stays where it is.
template <int tile_dim, class Element> Element transposed_in_tiles(const Element* input, Size size, std::size_t index) {
    const std::size_t width = size.width, height = size.height;
    const std::size_t row = index / width, column = index % width;
    const std::size_t top = row / tile_dim * tile_dim, left = column / tile_dim * tile_dim;
    const std::size_t from_row = top + (column - left), from_column = left + (row - top);
    return from_row < height && from_column < width ? input[from_row * width + from_column] : input[index];
}

/// Each tile moved to where a transpose brings it, but not transposed itself: the output has width rows of height
/// elements. Where a tile is cut by the edge, an element that would fall outside is transposed.
template <int tile_dim, class Element> Element tiles_transposed(const Element* input, Size size, std::size_t index) {
    const std::size_t width = size.width, height = size.height;
    const std::size_t row = index / height, column = index % height;
    const std::size_t top = column / tile_dim * tile_dim, left = row / tile_dim * tile_dim;
    const std::size_t from_row = top + (row - left), from_column = left + (column - top);
    return from_row < height && from_column < width ? input[from_row * width + from_column] : input[column * width + row];
}

}  // namespace conflict_free
