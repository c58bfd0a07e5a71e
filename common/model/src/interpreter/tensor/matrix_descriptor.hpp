// Factors of `wgmma` in shared memory, at the place that a matrix descriptor gives.
//
// The unit is 16 bytes. A factor has lines (rows of A, columns of B) and an extent along K. A unit holds consecutive elements of one
// line along K, or elements of several lines at one place along K ("transposed", for 16-bit types alone). Eight rows of units, or
// eight units without a swizzle, form a core matrix. A descriptor gives the distances between core matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/tensor/tensor.hpp"

namespace simt::interpreter::tensor {

/// The fields of a matrix descriptor of 64 bits.
struct MatrixDescriptor {
    explicit MatrixDescriptor(std::uint64_t bits);

    /// The place in shared memory of a unit: `k_unit` along K, in the line or the group of lines `line_unit`.
    std::uint64_t place(bool transposed, std::uint64_t line_unit, std::uint64_t k_unit) const;

    /// The descriptor's fields, in bytes.
    std::uint64_t start, leading_offset, stride_offset;
    /// The number of rows of 128 bytes by which the swizzle's pattern is shifted.
    std::uint64_t base_offset;
    /// The number of units in a row: 1 (no swizzle), 2, 4, 8.
    std::uint64_t row_units;
};

/// A factor in shared memory.
struct SharedFactor {
    Element element = Element::none;
    /// Lines that a warp needs, and elements along K.
    int lines = 0, k = 0;
    bool transposed = false;

    /// The factor's bytes, unit by unit.
    std::size_t bytes() const { return static_cast<std::size_t>(lines * k * bits_of(element) / 8); }
    /// The index of an element in `bytes`, counted in elements.
    std::size_t index(int line, int along) const { return static_cast<std::size_t>(transposed ? along * lines + line : line * k + along); }
};

/// Reads the factor's bytes and their places in shared memory. Reports a hazard where a place is in no variable.
/// @param first_line the first of the lines that the warp needs
std::vector<unsigned char> read_units(Warp& warp, const DecodedInstruction& instruction, const MatrixDescriptor& descriptor,
                                      const SharedFactor& factor, int first_line, std::vector<std::uint32_t>& places);

/// Tells the watcher that the warp begins to read units at these places. Returns the number of the reads.
std::uint32_t begin_reads_of_units(const Warp& warp, std::uint32_t program_counter, const std::vector<std::uint32_t>& places);

}  // namespace simt::interpreter::tensor
