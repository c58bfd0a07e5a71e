// sust.p: the conversion of values to texels of the surface's format, as on an H200.

#include <algorithm>
#include <bit>
#include <cstring>

#include "interpreter/arithmetic/encode.hpp"
#include "interpreter/textures/texture.hpp"

namespace simt::interpreter::texture {

namespace {

/// The bits of the nearest integer that the channel holds.
std::uint32_t saturated(std::uint32_t value, int bits, bool is_signed) {
    if (bits == 32) return value;
    if (!is_signed) return std::min(value, (1u << bits) - 1);
    const std::int32_t most = (1 << (bits - 1)) - 1;
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), -most - 1, most));
}

/// The bits of a float, rounded toward zero; a NaN keeps its sign and the upper bits of its payload.
std::uint32_t half_of(std::uint32_t bits) {
    const auto value = static_cast<double>(std::bit_cast<float>(bits));
    if (value != value) return (bits >> 16 & 0x8000) | 0x7C00 | (bits >> 13 & 0x3FF);
    return encode(format_f16, value, Rounding::toward_zero, false);
}

}  // namespace

void encode_texel(const ChannelFormat& format, const std::array<std::uint32_t, 4>& values, unsigned char* to) {
    using Kind = ChannelFormat::Kind;
    for (std::size_t i = 0; i < values.size() && format.bits[i] != 0; ++i) {
        const int bits = format.bits[i];
        const bool is_half = format.kind == Kind::floating_point && bits == 16;
        const std::uint32_t value = is_half                               ? half_of(values[i])
                                    : format.kind == Kind::floating_point ? values[i]
                                                                          : saturated(values[i], bits, format.kind == Kind::signed_integer);
        std::memcpy(to, &value, static_cast<std::size_t>(bits / 8));
        to += bits / 8;
    }
}

}  // namespace simt::interpreter::texture
