// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// `min` and `max` of all pairs of arithmetic types, in the global namespace and with the result types of CUDA.
#pragma once

#include <math.h>

#define SIMT_MIN_MAX(Result, A, B)                                                                                 \
    constexpr Result min(A a, B b) { return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b); } \
    constexpr Result max(A a, B b) { return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b); }

SIMT_MIN_MAX(int, int, int)
SIMT_MIN_MAX(unsigned, unsigned, unsigned)
SIMT_MIN_MAX(unsigned, int, unsigned)
SIMT_MIN_MAX(unsigned, unsigned, int)
SIMT_MIN_MAX(long, long, long)
SIMT_MIN_MAX(unsigned long, unsigned long, unsigned long)
SIMT_MIN_MAX(unsigned long, long, unsigned long)
SIMT_MIN_MAX(unsigned long, unsigned long, long)
SIMT_MIN_MAX(long long, long long, long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, long long, unsigned long long)
SIMT_MIN_MAX(unsigned long long, unsigned long long, long long)

#undef SIMT_MIN_MAX

// Of a number and NaN, the number is the result.
#define SIMT_FLOAT_MIN_MAX(Result, A, B, suffix)                                                                       \
    inline Result min(A a, B b) { return fmin##suffix(static_cast<Result>(a), static_cast<Result>(b)); }               \
    inline Result max(A a, B b) { return fmax##suffix(static_cast<Result>(a), static_cast<Result>(b)); }

SIMT_FLOAT_MIN_MAX(float, float, float, f)
SIMT_FLOAT_MIN_MAX(double, double, double, )
SIMT_FLOAT_MIN_MAX(double, float, double, )
SIMT_FLOAT_MIN_MAX(double, double, float, )

#undef SIMT_FLOAT_MIN_MAX

constexpr unsigned umin(unsigned a, unsigned b) { return min(a, b); }
constexpr unsigned umax(unsigned a, unsigned b) { return max(a, b); }
constexpr long long llmin(long long a, long long b) { return min(a, b); }
constexpr long long llmax(long long a, long long b) { return max(a, b); }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
