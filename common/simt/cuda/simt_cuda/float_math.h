// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Mathematical functions that CUDA has beyond those of C++, and the intrinsics for arithmetic. All give the host's
/// results: the device's approximations, such as `__expf`, differ from them in the last bits.
#pragma once

#include <math.h>

#include <numbers>

#include "simt_cuda/rounding.h"

/// @name Functions beyond <math.h>
/// @{
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float norm3df(float a, float b, float c) { return hypotf(hypotf(a, b), c); }
inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline float norm4df(float a, float b, float c, float d) { return hypotf(hypotf(a, b), hypotf(c, d)); }
inline double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }

/// sin(πx) and cos(πx), exact where x is a multiple of one half.
inline double sinpi(double x)
{
    const double r = remainder(x, 2.0);
    return fabs(r) <= 0.25   ? sin(std::numbers::pi * r)
           : fabs(r) >= 0.75 ? copysign(sin(std::numbers::pi * (1.0 - fabs(r))), r)
                             : copysign(cos(std::numbers::pi * (fabs(r) - 0.5)), r);
}
inline double cospi(double x) { return sinpi(fabs(remainder(x, 2.0)) + 0.5); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
inline void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }

/// The distribution function of the standard normal distribution.
inline double normcdf(double x) { return 0.5 * erfc(-x / std::numbers::sqrt2); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
/// exp(x²) erfc(x).
inline double erfcx(double x) { return static_cast<double>(expl(static_cast<long double>(x) * x) * erfcl(x)); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
inline float fdividef(float x, float y) { return x / y; }
/// @}

/// @name Fast approximations
/// @{
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
/// `x` limited to 0…1; NaN becomes 0.
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float saturate(float x) { return __saturatef(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
/// @}

/// @name Arithmetic with a rounding mode
/// @{
#define SIMT_ROUNDED_ARITHMETIC(suffix, mode)                         \
    SIMT_ROUNDED_2(mode, __fadd_##suffix, float, a + b)               \
    SIMT_ROUNDED_2(mode, __fsub_##suffix, float, a - b)               \
    SIMT_ROUNDED_2(mode, __fmul_##suffix, float, a* b)                \
    SIMT_ROUNDED_2(mode, __fdiv_##suffix, float, a / b)               \
    SIMT_ROUNDED_3(mode, __fmaf_##suffix, float, fmaf(a, b, c))       \
    SIMT_ROUNDED_1(mode, __frcp_##suffix, float, float, 1.0f / a)     \
    SIMT_ROUNDED_1(mode, __fsqrt_##suffix, float, float, sqrtf(a))    \
    SIMT_ROUNDED_2(mode, __dadd_##suffix, double, a + b)              \
    SIMT_ROUNDED_2(mode, __dsub_##suffix, double, a - b)              \
    SIMT_ROUNDED_2(mode, __dmul_##suffix, double, a* b)               \
    SIMT_ROUNDED_2(mode, __ddiv_##suffix, double, a / b)              \
    SIMT_ROUNDED_3(mode, __fma_##suffix, double, fma(a, b, c))        \
    SIMT_ROUNDED_1(mode, __drcp_##suffix, double, double, 1.0 / a)    \
    SIMT_ROUNDED_1(mode, __dsqrt_##suffix, double, double, sqrt(a))
SIMT_FOR_ROUNDING_MODES(SIMT_ROUNDED_ARITHMETIC)
#undef SIMT_ROUNDED_ARITHMETIC
/// @}
