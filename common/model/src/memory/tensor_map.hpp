// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// What the model writes into a CUtensorMap, and bulk copies read from it. A GPU's own encoding is not documented; programs
/// only hand the 128 bytes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace simt::memory {

/// A tensor in global memory, and the box of it that a bulk copy moves. Dimension 0 is the innermost.
struct TensorMap {
    /// First bytes of what the model has written.
    static constexpr std::uint32_t expected_magic = 0x50414D54;
    static constexpr std::size_t most_dimensions = 5;

    /// As CUtensorMapDataType numbers them.
    enum class Type : std::uint8_t {
        uint8, uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16, float32_ftz, tfloat32, tfloat32_ftz,
    };
    enum class Kind : std::uint8_t { tiled, image_to_column };
    enum class Interleave : std::uint8_t { none, bytes_16, bytes_32 };
    /// As CUtensorMapSwizzle numbers them: of the width in bytes, and of the chunks that are moved.
    enum class Swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128, bytes_128_of_32, bytes_128_of_32_flipped_8, bytes_128_of_64 };

    std::uint32_t magic = expected_magic;
    Kind kind = Kind::tiled;
    Type type = Type::uint8;
    std::uint8_t dimensions = 1;
    Interleave interleave = Interleave::none;
    Swizzle swizzle = Swizzle::none;
    /// As CUtensorMapL2promotion numbers it; changes no count.
    std::uint8_t l2_promotion = 0;
    /// Elements outside of the tensor are read as a special NaN, and not as zero.
    bool fill_with_nan = false;
    std::uint8_t unused = 0;
    std::uint32_t unused_too = 0;
    std::uint64_t address = 0;
    /// Bytes from one element to the next along dimension i + 1.
    std::array<std::uint64_t, most_dimensions - 1> strides{};
    /// Elements along each dimension, less one.
    std::array<std::uint32_t, most_dimensions> last{};
    /// Elements of a box along each dimension (`tiled`).
    std::array<std::uint16_t, most_dimensions> box{};
    /// Every how manieth element along a dimension is taken.
    std::array<std::uint8_t, most_dimensions> element_strides{};
    std::uint8_t unused_three = 0;
    /// Corners of the box of pixels, channels of a pixel and pixels of a column (`image_to_column`).
    std::array<std::int16_t, 3> lower_corner{}, upper_corner{};
    std::uint16_t channels_per_pixel = 0, pixels_per_column = 0;
    std::array<std::uint8_t, 16> reserved{};

    std::uint64_t size(std::size_t dimension) const { return std::uint64_t{last[dimension]} + 1; }
};

static_assert(sizeof(TensorMap) == 128);

/// Bytes of an element.
constexpr std::size_t bytes_of(TensorMap::Type type)
{
    switch (type) {
        case TensorMap::Type::uint8: return 1;
        case TensorMap::Type::uint16: case TensorMap::Type::float16: case TensorMap::Type::bfloat16: return 2;
        case TensorMap::Type::uint64: case TensorMap::Type::int64: case TensorMap::Type::float64: return 8;
        default: return 4;
    }
}

}  // namespace simt::memory
