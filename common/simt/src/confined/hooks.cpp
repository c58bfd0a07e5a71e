// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// What takes the place of the compiler's hooks in confined code: they do the same, and then remember for the guard that
// the model has been told of the access. Not before: while an access is recorded, other threads may run.

#include <vector_types.h>

#include <string_view>

#include "confinement.hpp"
#include "../recorder.hpp"
#include "simt/execution.hpp"

#define SIMT_FOR_HOOKS(what)                                                                                                      \
    what(read, 1) what(read, 2) what(read, 4) what(read, 8) what(read, 16)                                                        \
    what(write, 1) what(write, 2) what(write, 4) what(write, 8) what(write, 16)                                                   \
    what(volatile_read, 1) what(volatile_read, 2) what(volatile_read, 4) what(volatile_read, 8) what(volatile_read, 16)           \
    what(volatile_write, 1) what(volatile_write, 2) what(volatile_write, 4) what(volatile_write, 8) what(volatile_write, 16)
#define SIMT_FOR_UNALIGNED_HOOKS(what)                                                                                            \
    what(unaligned_read, 2) what(unaligned_read, 4) what(unaligned_read, 8) what(unaligned_read, 16)                              \
    what(unaligned_write, 2) what(unaligned_write, 4) what(unaligned_write, 8) what(unaligned_write, 16)                          \
    what(unaligned_volatile_read, 2) what(unaligned_volatile_read, 4) what(unaligned_volatile_read, 8) what(unaligned_volatile_read, 16)     \
    what(unaligned_volatile_write, 2) what(unaligned_volatile_write, 4) what(unaligned_volatile_write, 8) what(unaligned_volatile_write, 16)

namespace {

using simt::detail::record_load;
using simt::detail::record_store;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

constexpr bool is_load(const char* name)
{
    const std::string_view text = name;
    return text.ends_with("read");
}

template <bool load>
inline void record(std::uint64_t address, std::uint16_t bytes, const void* site)
{
    if constexpr (load) record_load(address, bytes, site);
    else record_store(address, bytes, site);
}

/// As the model does: structures and unaligned data move word by word.
template <bool load>
inline void record_words(std::uint64_t address, std::size_t bytes, const void* site)
{
    const std::size_t word = address % 4 == 0 && bytes % 4 == 0 ? 4 : address % 2 == 0 && bytes % 2 == 0 ? 2 : 1;
    for (std::size_t offset = 0; offset < bytes; offset += word) record<load>(address + offset, static_cast<std::uint16_t>(word), site);
}

}  // namespace

#define SIMT_HOOK(name, extent)                                                                                     \
    extern "C" void simt_confined___tsan_##name##extent(void* address)                                              \
    {                                                                                                               \
        record<is_load(#name)>(address_of(address), extent, __builtin_return_address(0));                           \
        simt::detail::tell(address_of(address), extent);                                                            \
    }
#define SIMT_UNALIGNED_HOOK(name, extent)                                                                           \
    extern "C" void simt_confined___tsan_##name##extent(void* address)                                              \
    {                                                                                                               \
        record_words<is_load(#name)>(address_of(address), extent, __builtin_return_address(0));                     \
        simt::detail::tell(address_of(address), extent);                                                            \
    }
SIMT_FOR_HOOKS(SIMT_HOOK)
SIMT_FOR_UNALIGNED_HOOKS(SIMT_UNALIGNED_HOOK)

extern "C" void simt_confined___tsan_read_range(void* address, unsigned long bytes)
{
    record_words<true>(address_of(address), bytes, __builtin_return_address(0));
    simt::detail::tell(address_of(address), bytes);
}

extern "C" void simt_confined___tsan_write_range(void* address, unsigned long bytes)
{
    record_words<false>(address_of(address), bytes, __builtin_return_address(0));
    simt::detail::tell(address_of(address), bytes);
}

namespace simt {

void confined_record_atomic(const volatile void* address, std::size_t bytes, const void* site) asm(
    "simt_confined__ZN4simt13record_atomicEPVKvmPKv");
void confined_record_atomic(const volatile void* address, std::size_t bytes, const void* site)
{
    record_atomic(address, bytes, site);
    detail::tell(reinterpret_cast<std::uint64_t>(address), bytes);
}

void confined_record_vector_copy(const void* destination, const void* source, std::size_t bytes, const void* site) asm(
    "simt_confined__ZN4simt18record_vector_copyEPKvS1_mS1_");
void confined_record_vector_copy(const void* destination, const void* source, std::size_t bytes, const void* site)
{
    record_vector_copy(destination, source, bytes, site);
    detail::tell(address_of(source), bytes);
    detail::tell(address_of(destination), bytes);
}

}  // namespace simt
