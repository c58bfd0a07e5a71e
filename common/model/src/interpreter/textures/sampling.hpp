// The sampling of textures at coordinates (CUDA Programming Guide, "Texture Fetching").
#pragma once

#include <array>
#include <cstdint>

#include "interpreter/textures/textures.hpp"

namespace simt::memory {

/// How a texture is addressed.
enum class Geometry : std::uint8_t { one, two, three, one_layered, two_layered, cube, cube_layered };

/// Four channels, as bits of the type that the texture gives: of a float, or of an integer.
using Texel = std::array<std::uint32_t, 4>;

/// Samples a texture. Levels, layers and coordinates in texels are any numbers of a program, so their sums have 64 bits.
class Sampler {
public:
    /// @param linear the host's pointer to the texture's linear memory; null for an array
    Sampler(const Texture& texture, Geometry geometry, const unsigned char* linear);

    struct Coordinates {
        std::array<float, 3> at{};
        std::int64_t layer = 0;
        float level = 0;
        /// The offset in texels from the coordinates to the sampled place.
        std::array<std::int32_t, 3> offset{};
    };
    Texel sample(const Coordinates& coordinates) const;
    /// The unfiltered texel at integer coordinates; 0 outside.
    Texel fetch(const std::array<std::int64_t, 3>& at, int layer, int level) const;
    /// Component `component` of the four texels that a linear filter would read.
    Texel gather(const Coordinates& coordinates, int component) const;
    /// The level of detail for gradients of the coordinates in x and y.
    float level_of_gradients(const std::array<float, 3>& dx, const std::array<float, 3>& dy) const;
    /// The offset of the first texel that a sample reads, in its array or memory.
    std::uint64_t first_byte(const Coordinates& coordinates) const;
    std::uint64_t byte_of(const std::array<std::int64_t, 3>& at, int layer, int level) const;

private:
    struct Cell {
        std::array<std::int64_t, 3> index{};
        std::array<int, 3> fraction{};
    };
    Level level_at(std::int64_t number) const;
    std::int64_t clamp_level(std::int64_t level) const;
    float limited_level(float level) const;
    Cell point_cell(const Level& level, const Coordinates& coordinates) const;
    Cell linear_cell(const Level& level, const Coordinates& coordinates) const;
    Coordinates on_face(const Coordinates& coordinates) const;
    float scaled(float coordinate, std::size_t size) const;
    /// Returns false if the border takes the texel's place.
    bool apply_address_modes(const Level& level, std::array<std::int64_t, 3>& index) const;
    std::size_t slice(const Level& level, std::int64_t layer) const;
    Texel border() const;
    Texel texel(const Level& level, std::array<std::int64_t, 3> index, std::int64_t layer) const;
    Texel read(const Level& level, std::size_t x, std::size_t y, std::size_t z) const;
    std::size_t place(const Level& level, std::size_t x, std::size_t y, std::size_t z) const;
    Texel sample_level(int level, const Coordinates& coordinates) const;
    Texel decode(const unsigned char* at) const;

    const Texture& texture_;
    Geometry geometry_;
    const unsigned char* base_;
    /// The number of dimensions that are filtered, and whether layers or faces follow them.
    std::size_t dimensions_ = 1;
    bool layered_ = false, is_cube_ = false, gives_floats_ = true;
    std::size_t texel_bytes_;
};

}  // namespace simt::memory
