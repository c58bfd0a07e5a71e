// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Arithmetic under a given rounding mode.
#pragma once

#include <cfenv>

#include "simt_cuda/uncounted.h"

namespace simt::detail {

/// Sets the rounding mode for as long as it lives.
class RoundingMode {
public:
    SIMT_UNCOUNTED_INLINE explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
    SIMT_UNCOUNTED_INLINE ~RoundingMode() { std::fesetround(before_); }
    RoundingMode(const RoundingMode&) = delete;
    RoundingMode& operator=(const RoundingMode&) = delete;

private:
    int before_;
};

}  // namespace simt::detail

// The volatile copies keep the compiler from computing before the mode is set and from rounding after it is set back.

/// `name_rn`, `_rz`, `_ru` and `_rd` of one, two or three operands: to nearest even, toward zero, up and down.
#define SIMT_ROUNDED_1(mode, name, Result, A, expression)               \
    SIMT_UNCOUNTED inline Result name(A first)                          \
    {                                                                   \
        volatile A a = first;                                           \
        const ::simt::detail::RoundingMode rounding(mode);              \
        volatile Result result = (expression);                          \
        return result;                                                  \
    }
#define SIMT_ROUNDED_2(mode, name, T, expression)                       \
    SIMT_UNCOUNTED inline T name(T first, T second)                     \
    {                                                                   \
        volatile T a = first, b = second;                               \
        const ::simt::detail::RoundingMode rounding(mode);              \
        volatile T result = (expression);                               \
        return result;                                                  \
    }
#define SIMT_ROUNDED_3(mode, name, T, expression)                       \
    SIMT_UNCOUNTED inline T name(T first, T second, T third)            \
    {                                                                   \
        volatile T a = first, b = second, c = third;                    \
        const ::simt::detail::RoundingMode rounding(mode);              \
        volatile T result = (expression);                               \
        return result;                                                  \
    }
/// Applies `define(suffix, mode)` to the four modes.
#define SIMT_FOR_ROUNDING_MODES(define) define(rn, FE_TONEAREST) define(rz, FE_TOWARDZERO) define(ru, FE_UPWARD) define(rd, FE_DOWNWARD)
