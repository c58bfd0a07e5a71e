// f16 and bf16 as bits, and their conversion from and to single precision, without branches.
#pragma once

#include <bit>
#include <cstdint>

#include "interpreter/arithmetic/float_math.hpp"

namespace simt::interpreter {

/// IEEE binary16.
struct Half {
    std::uint16_t bits;
    static constexpr std::uint16_t infinity = 0x7c00;
    static constexpr std::uint16_t smallest_normal = 0x0400;
    static constexpr std::uint16_t one = 0x3c00;
};

/// The upper half of a float.
struct Bfloat {
    std::uint16_t bits;
    static constexpr std::uint16_t infinity = 0x7f80;
    static constexpr std::uint16_t smallest_normal = 0x0080;
    static constexpr std::uint16_t one = 0x3f80;
};

/// The NaN that GPUs give, of both formats.
inline constexpr std::uint16_t canonical_nan_of_half = 0x7fff;

[[gnu::always_inline]] inline float to_float(Half value) {
    const std::uint32_t magnitude = std::uint32_t{value.bits} & 0x7fff;
    const std::uint32_t sign = (std::uint32_t{value.bits} & 0x8000) << 16;
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    const std::uint32_t special = magnitude >= Half::infinity ? 0x7f800000U : 0U;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

[[gnu::always_inline]] inline float to_float(Bfloat value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

template <class H> H round_to(float value);

/// Rounds to nearest even.
template <> [[gnu::always_inline]] inline Half round_to<Half>(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t normal = (magnitude + 0xc8000fffU + (magnitude >> 13 & 1)) >> 13;
    const float aligned = std::bit_cast<float>(magnitude) + 0.5F;  // whose last bit is worth 2^-24
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(aligned) - 0x3f000000U;
    const std::uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
    const std::uint32_t number = magnitude >= 0x47800000 ? std::uint32_t{Half::infinity} : finite;
    const std::uint32_t sign = bits >> 16 & 0x8000;
    return {static_cast<std::uint16_t>(magnitude > 0x7f800000 ? std::uint32_t{canonical_nan_of_half} : number | sign)};
}

template <> [[gnu::always_inline]] inline Bfloat round_to<Bfloat>(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1)) >> 16;
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    return {static_cast<std::uint16_t>(is_nan ? std::uint32_t{canonical_nan_of_half} : rounded)};
}

template <class H> [[gnu::always_inline]] inline bool is_nan(H value) { return (value.bits & 0x7fff) > H::infinity; }

/// Replaces a subnormal value by zero of the same sign.
template <bool flushes, class H> [[gnu::always_inline]] inline H flush_half_if(H value) {
    const bool is_subnormal = (value.bits & H::infinity) == 0;
    return {static_cast<std::uint16_t>(flushes && is_subnormal ? value.bits & 0x8000 : value.bits)};
}

}  // namespace simt::interpreter
