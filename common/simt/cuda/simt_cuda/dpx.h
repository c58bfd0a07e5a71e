// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Minima and maxima of three, and of sums: the DPX functions of 32-bit integers, and of two 16-bit ones in a word.
#pragma once

#include <cstdint>

#include "simt_cuda/min_max.h"

/// @name Of three integers, and of three or two integers and zero
/// @{
constexpr int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
constexpr int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
constexpr unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
constexpr unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
constexpr int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
constexpr int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
constexpr int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
constexpr int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
/// @}

/// @name Of a sum modulo 2³² and an integer
/// @{
namespace simt::detail {
constexpr int wrapping_sum(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
}  // namespace simt::detail

constexpr int __viaddmin_s32(int a, int b, int c) { return min(simt::detail::wrapping_sum(a, b), c); }
constexpr int __viaddmax_s32(int a, int b, int c) { return max(simt::detail::wrapping_sum(a, b), c); }
constexpr unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
constexpr unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max(a + b, c); }
constexpr int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
constexpr int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
/// @}

/// @name Of two integers, telling whether the first was taken
/// @{
constexpr int __vibmin_s32(int a, int b, bool* is_first) { return *is_first = a <= b, min(a, b); }
constexpr int __vibmax_s32(int a, int b, bool* is_first) { return *is_first = a >= b, max(a, b); }
constexpr unsigned __vibmin_u32(unsigned a, unsigned b, bool* is_first) { return *is_first = a <= b, min(a, b); }
constexpr unsigned __vibmax_u32(unsigned a, unsigned b, bool* is_first) { return *is_first = a >= b, max(a, b); }
/// @}

/// @name Of the two halves of three words, each for itself
/// @{
#define SIMT_OF_HALVES(name, Half, of_three)                                                                       \
    constexpr unsigned name(unsigned a, unsigned b, unsigned c)                                                    \
    {                                                                                                              \
        unsigned both = 0;                                                                                         \
        for (int from = 0; from < 32; from += 16)                                                                  \
            both |= static_cast<unsigned>(static_cast<std::uint16_t>(                                              \
                        of_three(static_cast<Half>(a >> from), static_cast<Half>(b >> from), static_cast<Half>(c >> from)))) << from; \
        return both;                                                                                               \
    }
SIMT_OF_HALVES(__vimin3_s16x2, std::int16_t, __vimin3_s32)
SIMT_OF_HALVES(__vimax3_s16x2, std::int16_t, __vimax3_s32)
SIMT_OF_HALVES(__vimin3_u16x2, std::uint16_t, __vimin3_u32)
SIMT_OF_HALVES(__vimax3_u16x2, std::uint16_t, __vimax3_u32)
SIMT_OF_HALVES(__vimin3_s16x2_relu, std::int16_t, __vimin3_s32_relu)
SIMT_OF_HALVES(__vimax3_s16x2_relu, std::int16_t, __vimax3_s32_relu)
#undef SIMT_OF_HALVES
/// @}
