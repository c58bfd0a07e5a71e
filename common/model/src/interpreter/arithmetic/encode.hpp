// Small floating-point formats, by the numbers of their bits: conversion from and to doubles with every rounding.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/half.hpp"

namespace simt::interpreter {

/// A format with a sign, and bits without the sign that count up with the value.
struct Format {
    int exponent_bits;
    int mantissa_bits;
    /// Bits of the greatest finite value, of infinity (or of what stands for it), and of the canonical NaN.
    std::uint32_t greatest, infinity, nan;
};

inline constexpr Format format_f16{5, 10, 0x7bff, 0x7c00, 0x7fff};
inline constexpr Format format_bf16{8, 7, 0x7f7f, 0x7f80, 0x7fff};
/// tf32 without the 13 lower bits of its register.
inline constexpr Format format_tf32{8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
inline constexpr Format format_e4m3{4, 3, 0x7e, 0x7f, 0x7f};
inline constexpr Format format_e5m2{5, 2, 0x7b, 0x7c, 0x7f};
/// These have no NaN: the greatest value stands for it.
inline constexpr Format format_e2m3{2, 3, 0x1f, 0x1f, 0x1f};
inline constexpr Format format_e3m2{3, 2, 0x1f, 0x1f, 0x1f};
inline constexpr Format format_e2m1{2, 1, 0x7, 0x7, 0x7};

constexpr int bias_of(const Format& format) { return (1 << (format.exponent_bits - 1)) - 1; }

/// Whether a magnitude is rounded away from zero, where `rest` of `whole` units were cut off behind `kept`.
inline bool rounds_away(Rounding rounding, bool is_negative, std::uint64_t kept, std::uint64_t rest, std::uint64_t whole) {
    if (rest == 0) return false;
    switch (rounding) {
        case Rounding::toward_zero: return false;
        case Rounding::down: return is_negative;
        case Rounding::up: return !is_negative;
        case Rounding::nearest_away: return rest >= whole / 2;
        case Rounding::nearest_even: break;
    }
    return rest > whole / 2 || (rest == whole / 2 && (kept & 1) != 0);
}

/// The bits of `value`, rounded, in `format`. `to_finite`: the greatest value takes the place of infinity.
inline std::uint32_t encode(const Format& format, double value, Rounding rounding, bool to_finite) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool is_negative = bits >> 63 != 0;
    const std::uint32_t sign = is_negative ? 1U << (format.exponent_bits + format.mantissa_bits) : 0;
    if (value != value) return format.nan;
    if (std::isinf(value)) return sign | (to_finite ? format.greatest : format.infinity);
    const int exponent = static_cast<int>(bits >> 52 & 2047) - 1023;
    if (exponent == -1023 && bits << 12 == 0) return sign;
    const std::uint64_t mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
    const int least = 1 - bias_of(format);  // the exponent of the smallest normal value
    const int below = exponent < least ? least - exponent : 0;
    const int shift = 52 - format.mantissa_bits + (below < 60 ? below : 60);
    const int cut = shift < 63 ? shift : 63;
    const std::uint64_t whole = std::uint64_t{1} << cut;
    std::uint64_t kept = mantissa >> cut;
    if (rounds_away(rounding, is_negative, kept, mantissa & (whole - 1), whole)) ++kept;
    if (below == 0) kept += static_cast<std::uint64_t>(exponent - least) << format.mantissa_bits;
    if (kept <= format.greatest) return sign | static_cast<std::uint32_t>(kept);
    const bool stays = rounding == Rounding::toward_zero || rounding == (is_negative ? Rounding::up : Rounding::down);
    return sign | (stays || to_finite ? format.greatest : format.infinity);
}

/// The value of bits that are not infinity or NaN of f16, bf16 or e5m2; e4m3 has NaN alone.
inline float decode(const Format& format, std::uint32_t bits) {
    const std::uint32_t magnitude = bits & ((1U << (format.exponent_bits + format.mantissa_bits)) - 1);
    const bool is_negative = bits >> (format.exponent_bits + format.mantissa_bits) != 0;
    if (format.nan != format.greatest && magnitude > format.greatest)
        return magnitude == format.infinity && format.infinity != format.nan ? (is_negative ? -HUGE_VALF : HUGE_VALF)
                                                                             : std::bit_cast<float>(canonical_nan_bits);
    const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const std::uint32_t fraction = magnitude & ((1U << format.mantissa_bits) - 1);
    const std::uint32_t implied = exponent == 0 ? 0 : 1U << format.mantissa_bits;
    const int scale = (exponent == 0 ? 1 : exponent) - bias_of(format) - format.mantissa_bits;
    const float result = std::ldexp(static_cast<float>(fraction | implied), scale);
    return is_negative ? -result : result;
}

template <class H> H encode_half(double value, Rounding rounding, bool to_finite) {
    constexpr const Format& format = H::infinity == Half::infinity ? format_f16 : format_bf16;
    return {static_cast<std::uint16_t>(encode(format, value, rounding, to_finite))};
}

}  // namespace simt::interpreter
