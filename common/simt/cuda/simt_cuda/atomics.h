// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Atomic operations. Each returns what was in memory before. Threads of the model run one at a time, so the operations
/// are plain; the `_block` and `_system` variants do the same.
#pragma once

#include "simt/execution.hpp"
#include "simt_cuda/uncounted.h"
#include "vector_types.h"

namespace simt::detail {

/// Replaces the value at `address` by `updated`. An operation that leaves memory as it is may be a thread that waits for
/// another: `polls` says that others have to run then.
template <class T>
SIMT_UNCOUNTED_INLINE inline T replace(T* address, T old, T updated, bool polls)
{
    *address = updated;
    if (polls) yield_thread();
    return old;
}

}  // namespace simt::detail

// The new value is `expression` of `old` and `value`. `waits` tells when the operation may be part of a loop that waits.
#define SIMT_ATOMIC_FUNCTION(name, T, expression, waits)                                        \
    SIMT_UNCOUNTED inline T name(T* address, T value)                                           \
    {                                                                                           \
        ::simt::record_atomic(address, sizeof(T), __builtin_return_address(0));                 \
        const T old = *address;                                                                 \
        return ::simt::detail::replace<T>(address, old, static_cast<T>(expression), waits);     \
    }
#define SIMT_ATOMIC(name, T, expression, waits)                      \
    SIMT_ATOMIC_FUNCTION(name, T, expression, waits)                 \
    SIMT_ATOMIC_FUNCTION(name##_block, T, expression, waits)         \
    SIMT_ATOMIC_FUNCTION(name##_system, T, expression, waits)

SIMT_ATOMIC(atomicAdd, unsigned, old + value, value == 0)
SIMT_ATOMIC(atomicAdd, int, static_cast<unsigned>(old) + static_cast<unsigned>(value), value == 0)
SIMT_ATOMIC(atomicAdd, unsigned long long, old + value, value == 0)
SIMT_ATOMIC(atomicAdd, float, old + value, false)
SIMT_ATOMIC(atomicAdd, double, old + value, false)

SIMT_ATOMIC(atomicSub, unsigned, old - value, value == 0)
SIMT_ATOMIC(atomicSub, int, static_cast<unsigned>(old) - static_cast<unsigned>(value), value == 0)

SIMT_ATOMIC(atomicExch, int, value, value == old)
SIMT_ATOMIC(atomicExch, unsigned, value, value == old)
SIMT_ATOMIC(atomicExch, unsigned long long, value, value == old)
SIMT_ATOMIC(atomicExch, float, value, value == old)

#define SIMT_ATOMICS_ON_INTEGER(T)                                           \
    SIMT_ATOMIC(atomicMin, T, value < old ? value : old, false)              \
    SIMT_ATOMIC(atomicMax, T, value > old ? value : old, false)              \
    SIMT_ATOMIC(atomicAnd, T, old& value, (old & value) == old)              \
    SIMT_ATOMIC(atomicOr, T, old | value, (old | value) == old)              \
    SIMT_ATOMIC(atomicXor, T, old ^ value, value == 0)
SIMT_ATOMICS_ON_INTEGER(int)
SIMT_ATOMICS_ON_INTEGER(unsigned)
SIMT_ATOMICS_ON_INTEGER(unsigned long long)
#undef SIMT_ATOMICS_ON_INTEGER
SIMT_ATOMIC(atomicMin, long long, value < old ? value : old, false)
SIMT_ATOMIC(atomicMax, long long, value > old ? value : old, false)

/// Counts up to `value` and starts again at 0.
SIMT_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u, false)
/// Counts down to 0 and starts again at `value`.
SIMT_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u, false)

#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_FUNCTION

#define SIMT_ATOMIC_CAS_FUNCTION(name, T)                                                                           \
    SIMT_UNCOUNTED inline T name(T* address, T compare, T value)                                                    \
    {                                                                                                               \
        ::simt::record_atomic(address, sizeof(T), __builtin_return_address(0));                                     \
        const T old = *address;                                                                                     \
        return ::simt::detail::replace<T>(address, old, old == compare ? value : old, old != compare);              \
    }
#define SIMT_ATOMIC_CAS(T)                           \
    SIMT_ATOMIC_CAS_FUNCTION(atomicCAS, T)           \
    SIMT_ATOMIC_CAS_FUNCTION(atomicCAS_block, T)     \
    SIMT_ATOMIC_CAS_FUNCTION(atomicCAS_system, T)
SIMT_ATOMIC_CAS(int)
SIMT_ATOMIC_CAS(unsigned)
SIMT_ATOMIC_CAS(unsigned long long)
SIMT_ATOMIC_CAS(unsigned short)
#undef SIMT_ATOMIC_CAS
#undef SIMT_ATOMIC_CAS_FUNCTION

// On vectors each component is atomic; the whole is one access.
SIMT_UNCOUNTED inline float2 atomicAdd(float2* address, float2 value)
{
    ::simt::record_atomic(address, sizeof *address, __builtin_return_address(0));
    const float2 old = *address;
    address->x += value.x, address->y += value.y;
    return old;
}
SIMT_UNCOUNTED inline float4 atomicAdd(float4* address, float4 value)
{
    ::simt::record_atomic(address, sizeof *address, __builtin_return_address(0));
    const float4 old = *address;
    address->x += value.x, address->y += value.y, address->z += value.z, address->w += value.w;
    return old;
}
