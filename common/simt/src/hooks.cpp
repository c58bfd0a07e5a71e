// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The functions that code compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc calls for each load, each
// store and at the start of each basic block. GCC's own run-time library is not linked; these take its place.

#include <algorithm>

#include "recorder.hpp"

namespace simt::detail {

Recorder recorder;

[[gnu::noinline]] void record_mark_making_room(std::uint64_t frame, std::uint32_t site)
{
    if (!recorder.recording) return;
    make_room();
    *recorder.next = {frame - recorder.frame_origin, site, 0, TraceEntry::Kind::mark, false};
    recorder.next += Recorder::stride;
}

namespace {

/// Structures and unaligned data move word by word on a GPU, and are recorded so.
template <class Record>
void in_words(void* memory, unsigned long size, Record&& record)
{
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    const unsigned long word = address % 4 == 0 && size % 4 == 0 ? 4 : address % 2 == 0 && size % 2 == 0 ? 2 : 1;
    for (unsigned long offset = 0; offset < size; offset += word) record(address + offset, static_cast<std::uint16_t>(word));
}

}  // namespace
}  // namespace simt::detail

using simt::detail::in_words;
using simt::detail::record_load;
using simt::detail::record_store;

#define SIMT_HOOK(name, size, record)                                                         \
    extern "C" void name(void* address)                                                       \
    {                                                                                         \
        record(reinterpret_cast<std::uint64_t>(address), size, __builtin_return_address(0));  \
    }

#define SIMT_RANGE_HOOK(name, extent, record)                                                             \
    extern "C" void name(void* memory)                                                                    \
    {                                                                                                     \
        const void* site = __builtin_return_address(0);                                                   \
        in_words(memory, extent, [site](std::uint64_t address, std::uint16_t size) { record(address, size, site); }); \
    }

#define SIMT_HOOKS_OF_SIZE(size)                                           \
    SIMT_HOOK(__tsan_read##size, size, record_load)                        \
    SIMT_HOOK(__tsan_write##size, size, record_store)                      \
    SIMT_HOOK(__tsan_volatile_read##size, size, record_load)               \
    SIMT_HOOK(__tsan_volatile_write##size, size, record_store)             \
    SIMT_RANGE_HOOK(__tsan_unaligned_read##size, size, record_load)        \
    SIMT_RANGE_HOOK(__tsan_unaligned_write##size, size, record_store)      \
    SIMT_RANGE_HOOK(__tsan_unaligned_volatile_read##size, size, record_load) \
    SIMT_RANGE_HOOK(__tsan_unaligned_volatile_write##size, size, record_store)

SIMT_HOOKS_OF_SIZE(1)
SIMT_HOOKS_OF_SIZE(2)
SIMT_HOOKS_OF_SIZE(4)
SIMT_HOOKS_OF_SIZE(8)
SIMT_HOOKS_OF_SIZE(16)

extern "C" void __tsan_read_range(void* memory, unsigned long extent)
{
    const void* site = __builtin_return_address(0);
    in_words(memory, extent, [site](std::uint64_t address, std::uint16_t size) { record_load(address, size, site); });
}

extern "C" void __tsan_write_range(void* memory, unsigned long extent)
{
    const void* site = __builtin_return_address(0);
    in_words(memory, extent, [site](std::uint64_t address, std::uint16_t size) { record_store(address, size, site); });
}

extern "C" void __sanitizer_cov_trace_pc()
{
    simt::detail::record_mark(reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa()), __builtin_return_address(0));
}

extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}
extern "C" void __tsan_vptr_read(void**) {}
