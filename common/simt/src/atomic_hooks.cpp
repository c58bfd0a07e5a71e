// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What -fsanitize=thread makes of C++ atomics in instrumented host code, such as the counters of std::shared_ptr:
// plain atomics of the strongest order.

#include <cstdint>

#define SIMT_ATOMIC_UPDATE(bits, name)                                                                              \
    extern "C" std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* at, std::uint##bits##_t value, int) \
    {                                                                                                               \
        return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                                                        \
    }

#define SIMT_ATOMIC_COMPARE(bits, name, weak)                                                                       \
    extern "C" int __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* at, std::uint##bits##_t* expected,    \
                                                std::uint##bits##_t desired, int, int)                              \
    {                                                                                                               \
        return __atomic_compare_exchange_n(at, expected, desired, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
    }

#define SIMT_ATOMICS_OF_SIZE(bits)                                                                                  \
    extern "C" std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* at, int)          \
    {                                                                                                               \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                               \
    }                                                                                                               \
    extern "C" void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* at, std::uint##bits##_t value, int)   \
    {                                                                                                               \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                              \
    }                                                                                                               \
    extern "C" std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* at, std::uint##bits##_t value, int) \
    {                                                                                                               \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                    \
    }                                                                                                               \
    SIMT_ATOMIC_UPDATE(bits, fetch_add)                                                                             \
    SIMT_ATOMIC_UPDATE(bits, fetch_sub)                                                                             \
    SIMT_ATOMIC_UPDATE(bits, fetch_and)                                                                             \
    SIMT_ATOMIC_UPDATE(bits, fetch_or)                                                                              \
    SIMT_ATOMIC_UPDATE(bits, fetch_xor)                                                                             \
    SIMT_ATOMIC_UPDATE(bits, fetch_nand)                                                                            \
    SIMT_ATOMIC_COMPARE(bits, compare_exchange_strong, false)                                                       \
    SIMT_ATOMIC_COMPARE(bits, compare_exchange_weak, true)                                                          \
    extern "C" std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                      \
        volatile std::uint##bits##_t* at, std::uint##bits##_t expected, std::uint##bits##_t desired, int, int)      \
    {                                                                                                               \
        __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
        return expected;                                                                                            \
    }

SIMT_ATOMICS_OF_SIZE(8)
SIMT_ATOMICS_OF_SIZE(16)
SIMT_ATOMICS_OF_SIZE(32)
SIMT_ATOMICS_OF_SIZE(64)

extern "C" void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
extern "C" void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
