// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA's built-in vector types, laid out and aligned as on the device.
#pragma once

#define SIMT_VECTOR_TYPES(base, element, align2, align4)        \
    struct base##1 {                                            \
        element x;                                              \
    };                                                          \
    struct alignas(align2) base##2 {                            \
        element x, y;                                           \
    };                                                          \
    struct base##3 {                                            \
        element x, y, z;                                        \
    };                                                          \
    struct alignas(align4) base##4 {                            \
        element x, y, z, w;                                     \
    };                                                          \
    inline constexpr base##1 make_##base##1(element x)          \
    {                                                           \
        return {x};                                             \
    }                                                           \
    inline constexpr base##2 make_##base##2(element x, element y) \
    {                                                           \
        return {x, y};                                          \
    }                                                           \
    inline constexpr base##3 make_##base##3(element x, element y, element z) \
    {                                                           \
        return {x, y, z};                                       \
    }                                                           \
    inline constexpr base##4 make_##base##4(element x, element y, element z, element w) \
    {                                                           \
        return {x, y, z, w};                                    \
    }

SIMT_VECTOR_TYPES(char, signed char, 2, 4)
SIMT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
SIMT_VECTOR_TYPES(short, short, 4, 8)
SIMT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
SIMT_VECTOR_TYPES(int, int, 8, 16)
SIMT_VECTOR_TYPES(uint, unsigned int, 8, 16)
SIMT_VECTOR_TYPES(long, long, 16, 16)
SIMT_VECTOR_TYPES(ulong, unsigned long, 16, 16)
SIMT_VECTOR_TYPES(longlong, long long, 16, 16)
SIMT_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
SIMT_VECTOR_TYPES(float, float, 8, 16)
SIMT_VECTOR_TYPES(double, double, 16, 16)

#undef SIMT_VECTOR_TYPES

/// The extent of a grid or a block.
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
