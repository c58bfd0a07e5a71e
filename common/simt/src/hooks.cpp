// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The functions that code compiled with -fsanitize=thread calls for each load and store. GCC's own run-time library is
// not linked; these take its place.

#include "recorder.hpp"

namespace simt::detail {
Recorder recorder;
}

using simt::Operation;
using simt::detail::record;

#define SIMT_HOOK(name, size, operation)                                                                \
    extern "C" void name(void* address)                                                                 \
    {                                                                                                   \
        record(reinterpret_cast<std::uint64_t>(address), size, operation, __builtin_return_address(0)); \
    }

#define SIMT_HOOKS_OF_SIZE(size)                                         \
    SIMT_HOOK(__tsan_read##size, size, Operation::load)                  \
    SIMT_HOOK(__tsan_write##size, size, Operation::store)                \
    SIMT_HOOK(__tsan_volatile_read##size, size, Operation::load)         \
    SIMT_HOOK(__tsan_volatile_write##size, size, Operation::store)       \
    SIMT_HOOK(__tsan_unaligned_read##size, size, Operation::load)        \
    SIMT_HOOK(__tsan_unaligned_write##size, size, Operation::store)      \
    SIMT_HOOK(__tsan_unaligned_volatile_read##size, size, Operation::load) \
    SIMT_HOOK(__tsan_unaligned_volatile_write##size, size, Operation::store)

SIMT_HOOKS_OF_SIZE(1)
SIMT_HOOKS_OF_SIZE(2)
SIMT_HOOKS_OF_SIZE(4)
SIMT_HOOKS_OF_SIZE(8)
SIMT_HOOKS_OF_SIZE(16)

extern "C" void __tsan_read_range(void* address, unsigned long size)
{
    record(reinterpret_cast<std::uint64_t>(address), static_cast<std::uint16_t>(size), Operation::load,
           __builtin_return_address(0));
}

extern "C" void __tsan_write_range(void* address, unsigned long size)
{
    record(reinterpret_cast<std::uint64_t>(address), static_cast<std::uint16_t>(size), Operation::store,
           __builtin_return_address(0));
}

extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}
extern "C" void __tsan_vptr_read(void**) {}
