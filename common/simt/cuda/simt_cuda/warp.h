// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Shuffles, votes and reductions of the lanes of a warp.
#pragma once

#include "simt_cuda/uncounted.h"
#include "simt_cuda/warp_operations.h"

/// @name Shuffles
/// @{
#define SIMT_SHUFFLE(name, kind, T, Operand)                                                                                  \
    SIMT_UNCOUNTED inline T name(unsigned mask, T value, Operand operand, int width = warpSize)                               \
    {                                                                                                                         \
        return ::simt::detail::shuffle(::simt::detail::Shuffle::kind, mask, value, static_cast<int>(operand), width, __builtin_return_address(0)); \
    }
#define SIMT_SHUFFLES(T)                                          \
    SIMT_SHUFFLE(__shfl_sync, index, T, int)                      \
    SIMT_SHUFFLE(__shfl_up_sync, up, T, unsigned)                 \
    SIMT_SHUFFLE(__shfl_down_sync, down, T, unsigned)             \
    SIMT_SHUFFLE(__shfl_xor_sync, exclusive_or, T, int)
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)
#undef SIMT_SHUFFLES
#undef SIMT_SHUFFLE
/// @}

/// @name Votes
/// @{

/// Lanes of the warp that have come to this call together.
SIMT_UNCOUNTED inline unsigned __activemask() { return ::simt::active_lanes(__builtin_return_address(0)); }

SIMT_UNCOUNTED inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return ::simt::detail::ballot(mask, predicate != 0, __builtin_return_address(0));
}
SIMT_UNCOUNTED inline int __all_sync(unsigned mask, int predicate)
{
    return ::simt::detail::ballot(mask, predicate == 0, __builtin_return_address(0)) == 0;
}
SIMT_UNCOUNTED inline int __any_sync(unsigned mask, int predicate)
{
    return ::simt::detail::ballot(mask, predicate != 0, __builtin_return_address(0)) != 0;
}

#define SIMT_MATCH(T)                                                                                                      \
    SIMT_UNCOUNTED inline unsigned __match_any_sync(unsigned mask, T value)                                                \
    {                                                                                                                      \
        return ::simt::detail::match(mask, value, __builtin_return_address(0)).equal;                                      \
    }                                                                                                                      \
    SIMT_UNCOUNTED inline unsigned __match_all_sync(unsigned mask, T value, int* all_equal)                                \
    {                                                                                                                      \
        const ::simt::detail::Match found = ::simt::detail::match(mask, value, __builtin_return_address(0));               \
        *all_equal = found.equal == found.lanes;                                                                           \
        return *all_equal ? mask : 0u;                                                                                     \
    }
SIMT_MATCH(int)
SIMT_MATCH(unsigned)
SIMT_MATCH(long)
SIMT_MATCH(unsigned long)
SIMT_MATCH(long long)
SIMT_MATCH(unsigned long long)
SIMT_MATCH(float)
SIMT_MATCH(double)
#undef SIMT_MATCH
/// @}

/// @name Reductions
/// @{
#define SIMT_REDUCTION(name, T, expression)                                                                                \
    SIMT_UNCOUNTED inline T name(unsigned mask, T value)                                                                   \
    {                                                                                                                      \
        return ::simt::detail::reduce(mask, value, [](T a, T b) SIMT_UNCOUNTED_LAMBDA { return static_cast<T>(expression); }, __builtin_return_address(0)); \
    }
SIMT_REDUCTION(__reduce_add_sync, unsigned, a + b)
SIMT_REDUCTION(__reduce_add_sync, int, static_cast<unsigned>(a) + static_cast<unsigned>(b))
SIMT_REDUCTION(__reduce_min_sync, unsigned, a < b ? a : b)
SIMT_REDUCTION(__reduce_min_sync, int, a < b ? a : b)
SIMT_REDUCTION(__reduce_max_sync, unsigned, a > b ? a : b)
SIMT_REDUCTION(__reduce_max_sync, int, a > b ? a : b)
SIMT_REDUCTION(__reduce_and_sync, unsigned, a& b)
SIMT_REDUCTION(__reduce_or_sync, unsigned, a | b)
SIMT_REDUCTION(__reduce_xor_sync, unsigned, a ^ b)
#undef SIMT_REDUCTION
/// @}

/// @name What devices since Volta do not have
/// @{
#define SIMT_GONE(name)                                                                                                          \
    template <class... Arguments>                                                                                                \
    auto name(Arguments...)                                                                                                      \
    {                                                                                                                            \
        static_assert(sizeof...(Arguments) == ~0u, #name "() is gone since Volta: name the lanes that take part, as in " #name "_sync(0xffffffff, ...)"); \
        return 0;                                                                                                                \
    }
SIMT_GONE(__shfl)
SIMT_GONE(__shfl_up)
SIMT_GONE(__shfl_down)
SIMT_GONE(__shfl_xor)
SIMT_GONE(__ballot)
SIMT_GONE(__all)
SIMT_GONE(__any)
#undef SIMT_GONE
/// @}
