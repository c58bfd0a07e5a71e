// The properties of a GPU's floating point beyond IEEE operations: flushing, saturation, its own NaN, and directed rounding.
// The files that include this header must be compiled without contraction to fused operations (-ffp-contract=off).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "ptx/module.hpp"

namespace simt::interpreter {

/// How a result that does not fit is rounded: .rn, .rz, .rm, .rp, .rna.
enum class Rounding : std::uint8_t { nearest_even, toward_zero, down, up, nearest_away };

/// The rounding that an instruction asks for: of results, or (`.rni` and others) to integers.
inline Rounding rounding_of(const ptx::Instruction& instruction) {
    if (instruction.has("rz") || instruction.has("rzi")) return Rounding::toward_zero;
    if (instruction.has("rm") || instruction.has("rmi")) return Rounding::down;
    if (instruction.has("rp") || instruction.has("rpi")) return Rounding::up;
    if (instruction.has("rna")) return Rounding::nearest_away;
    return Rounding::nearest_even;
}

inline constexpr std::uint32_t canonical_nan_bits = 0x7fffffff;

/// Replaces a subnormal value by zero of the same sign.
inline float flush(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

template <bool flushes> float flush_if(float value) { return flushes ? flush(value) : value; }

template <bool flushes> double flush_if(double value) { return value; }

/// The NaN that GPUs give for every NaN of single precision. Doubles keep theirs.
inline float canonical(float value) { return value != value ? std::bit_cast<float>(canonical_nan_bits) : value; }

inline double canonical(double value) { return value; }

/// `.sat`: between 0 and 1; NaN becomes 0, and so does -0.
template <class F> F saturate(F value) {
    const F at_least_0 = value > F{0} ? value : F{0};
    return at_least_0 < F{1} ? at_least_0 : F{1};
}

/// Ends every operation: flushes, saturates, and makes NaN canonical.
template <bool flushes, bool saturates, class F> F finish(F value) {
    const F flushed = flush_if<flushes>(value);
    return saturates ? saturate(flushed) : canonical(flushed);
}

/// 1 or 0. Selected among doubles, since processors without SSE 4 cannot select among vectors of 64-bit integers.
[[gnu::always_inline]] inline std::uint64_t as_bit(bool condition) {
    return std::bit_cast<std::uint64_t>(condition ? std::bit_cast<double>(std::uint64_t{1}) : 0.0);
}

/// Rounds `value + error` to odd: its magnitude is rounded toward zero and, if inexact, made odd. Rounding the result to a format of at
/// least two bits less equals rounding the exact value. There are no branches or signed shifts, so that loops become vectors.
[[gnu::always_inline]] inline double round_to_odd(double value, double error) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t is_inexact = as_bit(std::fabs(error) > 0);
    const std::uint64_t is_above = (bits ^ std::bit_cast<std::uint64_t>(error)) >> 63 & is_inexact;
    return std::bit_cast<double>((bits - is_above) | is_inexact);
}

/// a + b, rounded to odd. Their magnitudes must stay below half of the greatest double.
[[gnu::always_inline]] inline double add_to_odd(double a, double b) {
    const double sum = a + b;
    const double part_of_b = sum - a;
    const double error = (a - (sum - part_of_b)) + (b - part_of_b);
    return round_to_odd(sum, error);
}

/// To single precision, rounded to odd.
[[gnu::always_inline]] inline float narrow_to_odd(double value) {
    const auto narrow = static_cast<float>(value);
    const auto back = static_cast<double>(narrow);
    const auto bits = std::bit_cast<std::uint32_t>(narrow);
    const auto is_above = static_cast<std::uint32_t>(as_bit(std::fabs(back) > std::fabs(value)));
    const auto is_inexact = static_cast<std::uint32_t>(as_bit(std::fabs(value - back) > 0));
    return std::bit_cast<float>((bits - is_above) | is_inexact);
}

/// a · b + c, rounded once, to nearest.
inline float fused(float a, float b, float c) {
#ifdef FP_FAST_FMAF
    return std::fma(a, b, c);
#else
    return static_cast<float>(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
#endif
}

inline double fused(double a, double b, double c) { return std::fma(a, b, c); }

}  // namespace simt::interpreter
