// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Where instrumented code writes what the running thread accesses.
#pragma once

#include <cstdint>

#include "simt/events.hpp"

namespace simt::detail {

/// The open end of the running thread's list of accesses. Outside kernels it has no room, and what is reported is
/// dropped; that check is the only cost that instrumented host code pays.
struct Recorder {
    ThreadAccess* next = nullptr;
    ThreadAccess* end = nullptr;
    /// Accesses to these addresses, the stacks of the threads, are local memory and are not recorded.
    std::uint64_t local_begin = 0;
    std::uint64_t local_bytes = 0;
};

extern Recorder recorder;

/// Makes room when the running thread's list is full. Returns false outside kernels.
bool make_room();

inline void record(std::uint64_t address, std::uint16_t size, Operation operation, const void* site)
{
    if (recorder.next == recorder.end && !make_room()) return;
    if (address - recorder.local_begin < recorder.local_bytes) return;
    *recorder.next++ = {address, static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(site)), size, operation};
}

}  // namespace simt::detail
