// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Conversions between numbers, and between numbers and their bits.
#pragma once

#include <math.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "simt_cuda/rounding.h"

/// @name The same bits as another type
/// @{
constexpr int __float_as_int(float x) { return std::bit_cast<int>(x); }
constexpr unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
constexpr float __int_as_float(int x) { return std::bit_cast<float>(x); }
constexpr float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
constexpr long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
constexpr double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
constexpr int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32); }
constexpr int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }
constexpr double __hiloint2double(int high, int low)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));
}
/// @}

namespace simt::detail {

/// A rounded number as an integer: what is too large becomes the nearest that fits. NaN becomes 0, but from double to
/// 64 bits the value with only the top bit set.
template <class Integer, class Real>
constexpr Integer saturated(Real x)
{
    using Limits = std::numeric_limits<Integer>;
    if (x != x) return sizeof(Real) == 8 && sizeof(Integer) == 8 ? static_cast<Integer>(std::uint64_t{1} << 63) : Integer{0};
    // The limits as reals: the upper one may round up to the first value that does not fit.
    if (x >= static_cast<Real>(Limits::max())) return Limits::max();
    if (x <= static_cast<Real>(Limits::min())) return Limits::min();
    return static_cast<Integer>(x);
}

}  // namespace simt::detail

/// @name From floating point to integers
/// The suffix names the rounding: `rn` to nearest even, `rz` toward zero, `ru` up, `rd` down.
/// @{
#define SIMT_TO_INTEGER(name, Integer, Real, suffix, round) \
    inline Integer __##name##_##suffix(Real x) { return ::simt::detail::saturated<Integer>(round(x)); }
#define SIMT_TO_INTEGERS(Real, real, f)                                   \
    SIMT_TO_INTEGER_ROUNDED(real##2int, int, Real, f)                     \
    SIMT_TO_INTEGER_ROUNDED(real##2uint, unsigned, Real, f)               \
    SIMT_TO_INTEGER_ROUNDED(real##2ll, long long, Real, f)                \
    SIMT_TO_INTEGER_ROUNDED(real##2ull, unsigned long long, Real, f)
#define SIMT_TO_INTEGER_ROUNDED(name, Integer, Real, f)     \
    SIMT_TO_INTEGER(name, Integer, Real, rn, rint##f)       \
    SIMT_TO_INTEGER(name, Integer, Real, rz, trunc##f)      \
    SIMT_TO_INTEGER(name, Integer, Real, ru, ceil##f)       \
    SIMT_TO_INTEGER(name, Integer, Real, rd, floor##f)
SIMT_TO_INTEGERS(float, float, f)
SIMT_TO_INTEGERS(double, double, )
#undef SIMT_TO_INTEGER_ROUNDED
#undef SIMT_TO_INTEGERS
#undef SIMT_TO_INTEGER
/// @}

/// @name To floating point
/// @{
#define SIMT_TO_REAL(suffix, mode)                                                                     \
    SIMT_ROUNDED_1(mode, __int2float_##suffix, float, int, static_cast<float>(a))                      \
    SIMT_ROUNDED_1(mode, __uint2float_##suffix, float, unsigned, static_cast<float>(a))                \
    SIMT_ROUNDED_1(mode, __ll2float_##suffix, float, long long, static_cast<float>(a))                 \
    SIMT_ROUNDED_1(mode, __ull2float_##suffix, float, unsigned long long, static_cast<float>(a))       \
    SIMT_ROUNDED_1(mode, __ll2double_##suffix, double, long long, static_cast<double>(a))              \
    SIMT_ROUNDED_1(mode, __ull2double_##suffix, double, unsigned long long, static_cast<double>(a))    \
    SIMT_ROUNDED_1(mode, __double2float_##suffix, float, double, static_cast<float>(a))
SIMT_FOR_ROUNDING_MODES(SIMT_TO_REAL)
#undef SIMT_TO_REAL
constexpr double __int2double_rn(int x) { return x; }
constexpr double __uint2double_rn(unsigned x) { return x; }
/// @}
