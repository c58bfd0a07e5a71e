#include "interpreter/textures/sampling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "interpreter/arithmetic/half.hpp"

namespace simt::memory {

namespace {

using Address = TextureRequest::Address;
using Kind = ChannelFormat::Kind;

/// The fractions of linear filters have 8 bits.
constexpr int fraction_one = 256;

float linear_of_srgb(float value) { return value <= 0.04045F ? value / 12.92F : std::pow((value + 0.055F) / 1.055F, 2.4F); }

/// Maps an index outside 0 … size-1 to the index that the addressing mode gives; -1 for the border.
std::int64_t wrapped(std::int64_t index, std::int64_t size, Address mode) {
    switch (mode) {
        case Address::clamp: return std::clamp<std::int64_t>(index, 0, size - 1);
        case Address::wrap: return (index % size + size) % size;
        case Address::mirror: {
            const std::int64_t period = (index % (2 * size) + 2 * size) % (2 * size);
            return period < size ? period : 2 * size - 1 - period;
        }
        case Address::border: break;
    }
    return index >= 0 && index < size ? index : -1;
}

/// Converts a coordinate to an integer; a coordinate far outside is clamped.
std::int64_t to_index(float value) {
    if (value != value) return 0;
    return static_cast<std::int64_t>(std::clamp(std::floor(value), -1e9F, 1e9F));
}

float mixed(float a, float b, int fraction) {
    const float weight = static_cast<float>(fraction) / fraction_one;
    return (1 - weight) * a + weight * b;
}

Texel mixed(const Texel& a, const Texel& b, int fraction) {
    if (fraction == 0) return a;
    Texel result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = std::bit_cast<std::uint32_t>(mixed(std::bit_cast<float>(a[i]), std::bit_cast<float>(b[i]), fraction));
    return result;
}

}  // namespace

Sampler::Sampler(const Texture& texture, Geometry geometry, const unsigned char* linear)
    : texture_(texture),
      geometry_(geometry),
      base_(linear ? linear : texture.array->bytes.data()),
      texel_bytes_(static_cast<std::size_t>(texture.request.format.bytes())) {
    switch (geometry) {
        case Geometry::one: dimensions_ = 1; break;
        case Geometry::one_layered: dimensions_ = 1, layered_ = true; break;
        case Geometry::two: dimensions_ = 2; break;
        case Geometry::two_layered: dimensions_ = 2, layered_ = true; break;
        case Geometry::three: dimensions_ = 3; break;
        case Geometry::cube: dimensions_ = 2, is_cube_ = true; break;
        case Geometry::cube_layered: dimensions_ = 2, is_cube_ = layered_ = true; break;
    }
    gives_floats_ = texture.request.format.kind == Kind::floating_point || texture.request.read_as_normalized_float;
}

std::int64_t Sampler::clamp_level(std::int64_t level) const {
    const std::int64_t last = texture_.array ? static_cast<std::int64_t>(texture_.array->levels.size()) - 1 : 0;
    if (!texture_.request.mipmapped) return 0;
    return std::clamp<std::int64_t>(level, 0, last);
}

Level Sampler::level_at(std::int64_t number) const {
    if (texture_.array) return texture_.array->levels[static_cast<std::size_t>(clamp_level(number))];
    const TextureRequest& request = texture_.request;
    return {request.width, std::max<std::size_t>(request.height, 1), 1, 0};
}

float Sampler::limited_level(float level) const {
    const TextureRequest& request = texture_.request;
    if (!request.mipmapped) return 0;
    const float biased = level + request.mipmap_bias;
    return std::clamp(biased == biased ? biased : 0.0F, request.min_level, std::max(request.min_level, request.max_level));
}

float Sampler::scaled(float coordinate, std::size_t size) const {
    return texture_.request.normalized_coordinates || is_cube_ ? coordinate * static_cast<float>(size) : coordinate;
}

Sampler::Cell Sampler::point_cell(const Level& level, const Coordinates& coordinates) const {
    Cell cell;
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    for (std::size_t i = 0; i < dimensions_; ++i) cell.index[i] = to_index(scaled(coordinates.at[i], size[i])) + coordinates.offset[i];
    return cell;
}

Sampler::Cell Sampler::linear_cell(const Level& level, const Coordinates& coordinates) const {
    Cell cell;
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    for (std::size_t i = 0; i < dimensions_; ++i) {
        const std::int64_t fixed = to_index((scaled(coordinates.at[i], size[i]) - 0.5F) * fraction_one + 0.5F);
        cell.index[i] = (fixed >> 8) + coordinates.offset[i];
        cell.fraction[i] = static_cast<int>(fixed & (fraction_one - 1));
    }
    return cell;
}

bool Sampler::apply_address_modes(const Level& level, std::array<std::int64_t, 3>& index) const {
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    for (std::size_t i = 0; i < dimensions_; ++i) {
        index[i] = wrapped(index[i], static_cast<std::int64_t>(size[i]), is_cube_ ? Address::clamp : texture_.request.address_mode[i]);
        if (index[i] < 0) return false;
    }
    return true;
}

std::size_t Sampler::slice(const Level& level, std::int64_t layer) const {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(layer, 0, static_cast<std::int64_t>(level.depth) - 1));
}

std::size_t Sampler::place(const Level& level, std::size_t x, std::size_t y, std::size_t z) const {
    if (texture_.array) return texture_.array->place(level, x * texel_bytes_, y, z);
    return texture_.request.resource == TextureRequest::Resource::pitched ? y * texture_.request.pitch + x * texel_bytes_
                                                                          : x * texel_bytes_;
}

Texel Sampler::read(const Level& level, std::size_t x, std::size_t y, std::size_t z) const { return decode(base_ + place(level, x, y, z)); }

Texel Sampler::decode(const unsigned char* at) const {
    const TextureRequest& request = texture_.request;
    const auto bytes = static_cast<std::size_t>(request.format.bits[0] / 8);
    Texel texel{0, 0, 0, gives_floats_ ? std::bit_cast<std::uint32_t>(1.0F) : 1};
    for (std::size_t channel = 0; channel < 4 && request.format.bits[channel] != 0; ++channel) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, at + channel * bytes, bytes);
        const int unused = 32 - 8 * static_cast<int>(bytes);
        const auto as_signed = static_cast<std::int32_t>(bits << unused) >> unused;
        if (request.format.kind == Kind::floating_point) {
            if (bytes == 2) bits = std::bit_cast<std::uint32_t>(interpreter::to_float(interpreter::Half{static_cast<std::uint16_t>(bits)}));
        } else if (request.read_as_normalized_float) {
            const bool is_signed = request.format.kind == Kind::signed_integer;
            const auto greatest = static_cast<float>((1u << (8 * bytes - (is_signed ? 1 : 0))) - 1);
            float value = is_signed ? std::max(static_cast<float>(as_signed) / greatest, -1.0F) : static_cast<float>(bits) / greatest;
            if (request.srgb && bytes == 1 && channel < 3) value = linear_of_srgb(value);
            bits = std::bit_cast<std::uint32_t>(value);
        } else if (request.format.kind == Kind::signed_integer) {
            bits = static_cast<std::uint32_t>(as_signed);
        }
        texel[channel] = bits;
    }
    return texel;
}

Texel Sampler::border() const {
    Texel texel;
    for (std::size_t i = 0; i < texel.size(); ++i) {
        const float value = texture_.request.border[i];
        texel[i] = gives_floats_ ? std::bit_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    }
    return texel;
}

Texel Sampler::texel(const Level& level, std::array<std::int64_t, 3> index, std::int64_t layer) const {
    if (!apply_address_modes(level, index)) return border();
    const auto z = layered_ || is_cube_ ? slice(level, layer) : static_cast<std::size_t>(index[2]);
    return read(level, static_cast<std::size_t>(index[0]), static_cast<std::size_t>(index[1]), z);
}

/// Maps a direction to a face, as `layer`, and the coordinates on it.
Sampler::Coordinates Sampler::on_face(const Coordinates& coordinates) const {
    const auto [x, y, z] = coordinates.at;
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    int face;
    float s, t, m;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        s = x >= 0 ? -z : z, t = -y, m = ax;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        s = x, t = y >= 0 ? z : -z, m = ay;
    } else {
        face = z >= 0 ? 4 : 5;
        s = z >= 0 ? x : -x, t = -y, m = az;
    }
    Coordinates on;
    on.at = {(s / m + 1) / 2, (t / m + 1) / 2, 0};
    on.layer = 6 * coordinates.layer + face;
    on.level = coordinates.level;
    return on;
}

Texel Sampler::sample_level(int number, const Coordinates& coordinates) const {
    const Level level = level_at(number);
    if (texture_.request.filter == TextureRequest::Filter::point || !gives_floats_)
        return texel(level, point_cell(level, coordinates).index, coordinates.layer);
    const Cell cell = linear_cell(level, coordinates);
    const auto corner = [&](int x, int y, int z) {
        return texel(level, {cell.index[0] + x, cell.index[1] + y, cell.index[2] + z}, coordinates.layer);
    };
    const auto row = [&](int y, int z) {
        return cell.fraction[0] ? mixed(corner(0, y, z), corner(1, y, z), cell.fraction[0]) : corner(0, y, z);
    };
    const auto plane = [&](int z) { return cell.fraction[1] ? mixed(row(0, z), row(1, z), cell.fraction[1]) : row(0, z); };
    const Texel result = cell.fraction[2] ? mixed(plane(0), plane(1), cell.fraction[2]) : plane(0);
    // A GPU filters one dimension as the first row of two: half of the sample is border where y has a border (seen on an H200).
    const bool beside_border = geometry_ == Geometry::one && texture_.request.address_mode[1] == Address::border;
    return beside_border ? mixed(result, border(), fraction_one / 2) : result;
}

Texel Sampler::sample(const Coordinates& given) const {
    const Coordinates coordinates = is_cube_ ? on_face(given) : given;
    const float level = limited_level(given.level);
    if (texture_.request.mipmap_filter == TextureRequest::Filter::point || !gives_floats_)
        return sample_level(static_cast<int>(std::floor(level + 0.5F)), coordinates);
    const int below = static_cast<int>(std::floor(level));
    const int fraction = static_cast<int>((level - static_cast<float>(below)) * fraction_one + 0.5F);
    const Texel first = sample_level(below, coordinates);
    return fraction == 0 ? first : mixed(first, sample_level(below + 1, coordinates), fraction);
}

Texel Sampler::fetch(const std::array<std::int64_t, 3>& at, int layer, int number) const {
    const Level level = level_at(std::int64_t{number} + static_cast<int>(texture_.request.mipmapped ? texture_.request.min_level : 0));
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    for (std::size_t i = 0; i < dimensions_; ++i)
        if (at[i] < 0 || static_cast<std::size_t>(at[i]) >= size[i]) return {};
    const auto x = static_cast<std::size_t>(at[0]), y = dimensions_ > 1 ? static_cast<std::size_t>(at[1]) : 0;
    return read(level, x, y, layered_ ? slice(level, layer) : dimensions_ > 2 ? static_cast<std::size_t>(at[2]) : 0);
}

Texel Sampler::gather(const Coordinates& given, int component) const {
    const Coordinates coordinates = is_cube_ ? on_face(given) : given;
    const Level level = level_at(static_cast<int>(std::floor(limited_level(0) + 0.5F)));
    const Cell cell = linear_cell(level, coordinates);
    constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Texel result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = texel(level, {cell.index[0] + order[i][0], cell.index[1] + order[i][1], 0},
                          coordinates.layer)[static_cast<std::size_t>(component)];
    return result;
}

float Sampler::level_of_gradients(const std::array<float, 3>& dx, const std::array<float, 3>& dy) const {
    const Level level = level_at(0);
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    float x = 0, y = 0;
    for (std::size_t i = 0; i < (is_cube_ ? 3 : dimensions_); ++i) {
        const float along_x = scaled(dx[i], is_cube_ ? level.width : size[i]), along_y = scaled(dy[i], is_cube_ ? level.width : size[i]);
        x += along_x * along_x;
        y += along_y * along_y;
    }
    const float most = std::sqrt(std::max(x, y)) * (is_cube_ ? 0.5F : 1.0F);
    return most > 0 ? std::log2(most) : -1e9F;
}

std::uint64_t Sampler::first_byte(const Coordinates& given) const {
    const Coordinates coordinates = is_cube_ ? on_face(given) : given;
    const Level level = level_at(static_cast<int>(std::floor(limited_level(given.level))));
    const bool linear = texture_.request.filter == TextureRequest::Filter::linear && gives_floats_;
    const Cell cell = linear ? linear_cell(level, coordinates) : point_cell(level, coordinates);
    std::array<std::size_t, 3> at{};
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    for (std::size_t i = 0; i < dimensions_; ++i) {
        const std::int64_t index = wrapped(cell.index[i], static_cast<std::int64_t>(size[i]), texture_.request.address_mode[i]);
        at[i] = static_cast<std::size_t>(std::max<std::int64_t>(index, 0));
    }
    return place(level, at[0], at[1], layered_ || is_cube_ ? slice(level, coordinates.layer) : at[2]);
}

std::uint64_t Sampler::byte_of(const std::array<std::int64_t, 3>& at, int layer, int number) const {
    const Level level = level_at(number);
    const std::array<std::size_t, 3> size{level.width, level.height, level.depth};
    std::array<std::size_t, 3> inside{};
    for (std::size_t i = 0; i < dimensions_; ++i)
        inside[i] = static_cast<std::size_t>(std::clamp<std::int64_t>(at[i], 0, static_cast<std::int64_t>(size[i]) - 1));
    return place(level, inside[0], inside[1], layered_ ? slice(level, layer) : inside[2]);
}

}  // namespace simt::memory
