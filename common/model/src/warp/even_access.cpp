// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Addresses of lanes, and accesses whose addresses are evenly spaced, which most are.

#include <cstring>

#include "warp/memory_access.hpp"

namespace simt::warp {

namespace {

/// Lanes that are farther apart than that are looked at one by one.
constexpr std::uint64_t farthest = std::uint64_t{1} << 40;

/// As the processor's vector instructions have them.
constexpr std::size_t together = 8;
using Addresses = std::uint64_t __attribute__((vector_size(together * sizeof(std::uint64_t))));
using ShortAddresses = std::uint32_t __attribute__((vector_size(together * sizeof(std::uint32_t))));

void read(const std::uint64_t* from, Addresses& to) { std::memcpy(&to, from, sizeof to); }
void read(const std::uint32_t* from, Addresses& to)
{
    ShortAddresses values;
    std::memcpy(&values, from, sizeof values);
    to = __builtin_convertvector(values, Addresses);
}

/// Writes the addresses of all lanes; returns whether each is `step` more than that of the lane before.
template <class Base>
bool add_offsets(Warp& warp, std::uint32_t base, std::int64_t offset, std::uint64_t& step)
{
    constexpr auto mask = static_cast<std::uint64_t>(static_cast<Base>(-1));
    const Base* from = values<Base>(warp, base);
    auto& to = warp.access.address;
    const auto added = static_cast<std::uint64_t>(offset);
    const std::uint64_t first = (from[0] + added) & mask;
    step = ((from[1] + added) & mask) - first;
    Addresses expected = first + step * Addresses{0, 1, 2, 3, 4, 5, 6, 7}, differences{};
    for (std::size_t lane = 0; lane < lanes_of_warp; lane += together) {
        Addresses address;
        read(from + lane, address);
        address = (address + added) & mask;
        std::memcpy(&to[lane], &address, sizeof address);
        differences |= address ^ expected;
        expected += together * step;
    }
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < together; ++i) any |= differences[i];
    return any == 0;
}

/// Most instructions go through memory in even steps from one warp to the next. What the next one will want, and what the
/// watcher knows of it, is on its way until then.
void fetch_ahead(Warp& warp, std::uint64_t address, const unsigned char* at)
{
    std::uint64_t& last = warp.block->last_address[warp.access.site];
    const std::uint64_t step = address - last;
    last = address;
    constexpr std::uint64_t cache_line = 64;
    const std::uint64_t next = reinterpret_cast<std::uintptr_t>(at) + step;
    __builtin_prefetch(reinterpret_cast<const void*>(next));
    __builtin_prefetch(reinterpret_cast<const void*>(next + cache_line));
    warp.block->watch.fetch_ahead(address + step);
}

/// Does what find_addresses() does; returns whether all 32 addresses are `step` bytes apart.
bool set_up(Warp& warp, const Instruction& instruction, const MemoryAccess& access, std::uint64_t& step)
{
    warp.access.size = access.bytes;
    warp.access.site = instruction.site;
    warp.access.operation = access.operation;
    warp.access.warp = warp.index;
    const std::uint32_t base = instruction.operand_at(static_cast<std::size_t>(access.base_operand));
    return access.base_bytes == 8 ? add_offsets<std::uint64_t>(warp, base, access.offset, step) : add_offsets<std::uint32_t>(warp, base, access.offset, step);
}

}  // namespace

void find_addresses(Warp& warp, const Instruction& instruction, const MemoryAccess& access)
{
    std::uint64_t step;
    set_up(warp, instruction, access, step);
}

EvenPlace find_even_place(Warp& warp, const Instruction& instruction, const MemoryAccess& access)
{
    std::uint64_t step;
    if (!set_up(warp, instruction, access, step) || warp.active != all_lanes) return {};
    const auto size = static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t first = warp.access.address[0], last = warp.access.address[lanes_of_warp - 1];
    const bool descends = step >> 63 != 0;
    const std::uint64_t least = descends ? last : first, most = descends ? first : last;
    // No lane between the two lies elsewhere.
    const bool is_near = step + farthest <= 2 * farthest && least <= most;
    if (!is_near || ((first | step) & (size - 1)) != 0) return {};
    EvenPlace place{nullptr, static_cast<std::ptrdiff_t>(step), access.space};
    if (place.space == ptx::Space::generic && most < memory::shared_window) place.space = ptx::Space::global;
    if (place.space == ptx::Space::shared)
        place.first = locate_shared(warp, least, most, size);
    else if (place.space == ptx::Space::global || place.space == ptx::Space::constant)
        place.first = locate_global(warp, least, most, size);
    if (!place) return {};
    if (place.space == ptx::Space::global) fetch_ahead(warp, least, place.first);
    place.first += first - least;
    warp.access.evenly_spaced = true;
    warp.access.step = step;
    return place;
}

void note_even_access(Warp& warp, const MemoryAccess& access, const EvenPlace& place, std::uint32_t changed)
{
    LanePointers all;
    all.lanes = all_lanes;
    if (access.is_fused)
        note_fused_access(warp, access, place.space, all, changed);
    else
        note_access(warp, place.space, all, access.operation, changed);
}

}  // namespace simt::warp
