// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// `make_float4(x, y, z, w)` and its kin.
#pragma once

#include "vector_types.h"

#define SIMT_MAKE_VECTORS(base, element)                                                          \
    constexpr base##1 make_##base##1(element x) { return {x}; }                                   \
    constexpr base##2 make_##base##2(element x, element y) { return {x, y, {}}; }                 \
    constexpr base##3 make_##base##3(element x, element y, element z) { return {x, y, z}; }       \
    constexpr base##4 make_##base##4(element x, element y, element z, element w) { return {x, y, z, w, {}}; }

SIMT_MAKE_VECTORS(char, signed char)
SIMT_MAKE_VECTORS(uchar, unsigned char)
SIMT_MAKE_VECTORS(short, short)
SIMT_MAKE_VECTORS(ushort, unsigned short)
SIMT_MAKE_VECTORS(int, int)
SIMT_MAKE_VECTORS(uint, unsigned int)
SIMT_MAKE_VECTORS(long, long)
SIMT_MAKE_VECTORS(ulong, unsigned long)
SIMT_MAKE_VECTORS(longlong, long long)
SIMT_MAKE_VECTORS(ulonglong, unsigned long long)
SIMT_MAKE_VECTORS(float, float)
SIMT_MAKE_VECTORS(double, double)

#undef SIMT_MAKE_VECTORS
