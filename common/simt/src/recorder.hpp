// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Where instrumented code writes what the running thread does.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "simt/counts.hpp"
#include "simt/events.hpp"

namespace simt::detail {

/// One entry of a thread's trace: an access, or a mark at the start of a basic block.
struct TraceEntry {
    /// Address accessed; for a mark, the place of the stack frame in its stack.
    std::uint64_t address;
    /// Low 32 bits of the address behind the call that made the entry.
    std::uint32_t site;
    std::uint16_t size;
    enum class Kind : std::uint8_t { load, store, atomic, mark } kind;
    /// For a store: the memory held other bytes before it.
    bool changed;
};
static_assert(sizeof(TraceEntry) == 16);

/// The open end of the running thread's trace. Outside kernels it has no room, and what is reported is dropped; that
/// check is the only cost that instrumented host code pays.
struct Recorder {
    /// Where the next entry goes; the one behind it goes `stride` entries further. There is room before `end`.
    TraceEntry* next = nullptr;
    TraceEntry* end = nullptr;
    static constexpr int stride = warp_size;
    /// Set while a thread is in a kernel.
    bool recording = false;
    /// Accesses to these addresses, the stacks of the threads, are local memory and are not recorded.
    std::uint64_t local_begin = 0;
    std::uint64_t local_bytes = 0;
    /// What to take off the address of a frame of the running thread to get its place in the stack.
    std::uint64_t frame_origin = 0;
    /// The newest entry if it is a store whose effect has not been looked at yet, and what was in memory before it.
    TraceEntry* store = nullptr;
    std::array<unsigned char, 16> before{};
};

extern Recorder recorder;

/// Makes room when the running thread's trace is full.
void make_room();

/// Appends a mark where there is no room for it yet, unless no thread is in a kernel.
void record_mark_making_room(std::uint64_t frame, std::uint32_t site);

/// True if memory at `address` is not what it was. The common size is compared without a call.
inline bool differs(const void* address, const unsigned char* before, std::size_t size)
{
    if (size != 4) return std::memcmp(before, address, size) != 0;
    std::uint32_t now, then;
    std::memcpy(&now, address, 4);
    std::memcpy(&then, before, 4);
    return now != then;
}

/// Looks at what the newest store did. Called before the next entry is made and when the thread stops.
inline void settle_store()
{
    if (!recorder.store) return;
    recorder.store->changed = differs(reinterpret_cast<const void*>(recorder.store->address), recorder.before.data(), recorder.store->size);
    recorder.store = nullptr;
}

inline void append(std::uint64_t address, std::uint16_t size, TraceEntry::Kind kind, const void* site)
{
    if (recorder.next >= recorder.end) make_room();
    *recorder.next = {address, static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(site)), size, kind, false};
    recorder.next += Recorder::stride;
}

inline void record_load(std::uint64_t address, std::uint16_t size, const void* site)
{
    if (!recorder.recording) return;
    settle_store();
    if (address - recorder.local_begin < recorder.local_bytes) return;
    append(address, size, TraceEntry::Kind::load, site);
}

inline void record_store(std::uint64_t address, std::uint16_t size, const void* site)
{
    if (!recorder.recording) return;
    settle_store();
    if (address - recorder.local_begin < recorder.local_bytes) return;
    append(address, size, TraceEntry::Kind::store, site);
    // The entry stands before memory is touched: if the address is bad, the fault finds it.
    std::memcpy(recorder.before.data(), reinterpret_cast<const void*>(address), size);
    recorder.store = recorder.next - Recorder::stride;
}

/// The most frequent hook by far: it looks at nothing but the room, of which there is none outside kernels.
inline void record_mark(std::uint64_t frame, const void* site)
{
    const auto place = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(site));
    if (recorder.next >= recorder.end) return record_mark_making_room(frame, place);
    *recorder.next = {frame - recorder.frame_origin, place, 0, TraceEntry::Kind::mark, false};
    recorder.next += Recorder::stride;
}

}  // namespace simt::detail
