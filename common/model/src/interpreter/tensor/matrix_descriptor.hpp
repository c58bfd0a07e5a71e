// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Factors of `wgmma` that lie in shared memory, where a matrix descriptor says.
///
/// Their unit is 16 bytes. A factor has lines (rows of A, columns of B) and an extent along K. Either a unit holds elements of
/// one line that follow one another along K, or elements of several lines at one place along K ("transposed", 16-bit types
/// alone). Eight rows of units, or without a swizzle eight units, are a core matrix; a descriptor gives the distances between
/// core matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

/// The 64 bits of a matrix descriptor, taken apart.
struct MatrixDescriptor {
    explicit MatrixDescriptor(std::uint64_t bits);

    /// Place in shared memory of the unit at `k_unit` along K of line, or of group of lines, `line_unit`.
    std::uint64_t place(bool transposed, std::uint64_t line_unit, std::uint64_t k_unit) const;

    /// All in bytes.
    std::uint64_t start, leading_offset, stride_offset;
    /// Rows of 128 bytes by which the swizzle's pattern is moved.
    std::uint64_t base_offset;
    /// Units that stand side by side in a row: 1 (no swizzle), 2, 4, 8.
    std::uint64_t row_units;
};

/// A factor in shared memory.
struct SharedFactor {
    Element element = Element::none;
    /// Lines that a warp needs, and elements along K.
    int lines = 0, k = 0;
    bool transposed = false;

    /// Bytes of it, unit by unit.
    std::size_t bytes() const { return static_cast<std::size_t>(lines * k * bits_of(element) / 8); }
    /// Where an element is in these, counted in elements.
    std::size_t index(int line, int along) const { return static_cast<std::size_t>(transposed ? along * lines + line : line * k + along); }
};

/// The factor's bytes, and the places in shared memory that they are at. Reports a hazard where those are in no variable.
/// @param first_line the first of the lines that the warp needs
std::vector<unsigned char> read_units(Warp& warp, const Instruction& instruction, const MatrixDescriptor& descriptor,
                                      const SharedFactor& factor, int first_line, std::vector<std::uint32_t>& places);

/// Tells the watcher that the warp reads units at these places.
void note_units(Block& block, int warp, std::uint32_t program_counter, const std::vector<std::uint32_t>& places);

}  // namespace simt::interpreter::tensor
