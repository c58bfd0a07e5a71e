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

/// Addresses of lanes: the first one, and how much more each is than that of the lane before, if all are.
struct Spacing {
    std::uint64_t first = 0, step = 0;
    bool is_even = false;

    std::uint64_t last() const { return first + (lanes_of_warp - 1) * step; }
};

/// Writes the addresses of all lanes.
template <class Base>
Spacing add_offsets(Warp& warp, std::uint32_t base, std::int64_t offset)
{
    constexpr auto mask = static_cast<std::uint64_t>(static_cast<Base>(-1));
    const Base* from = values<Base>(warp, base);
    auto& to = warp.access.address;
    const auto added = static_cast<std::uint64_t>(offset);
    const std::uint64_t first = (from[0] + added) & mask;
    const std::uint64_t step = ((from[1] + added) & mask) - first;
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
    return {first, step, any == 0};
}

/// How far the next access of a site will be, perhaps, from the one at `address`: the same one of the next block if blocks are short, or else
/// the next one of this block.
std::uint64_t expected_step(Warp& warp, std::uint64_t address)
{
    constexpr std::uint32_t few = 64;
    Expectation& site = warp.block->expectations[warp.access.site % warp.block->expectations.size()];
    const std::uint64_t in_block = address - site.last;
    site.last = address;
    if (site.block != warp.block->number) {
        site.to_next_block = address - site.first;
        site.first = address;
        site.block = warp.block->number;
        site.accesses_of_last_block = site.accesses;
        site.accesses = 0;
    }
    const bool is_short = ++site.accesses <= few && site.accesses_of_last_block - 1 < few;
    return is_short ? site.to_next_block : in_block;
}

/// Most instructions go through memory in even steps. What a later one will want, and what the watcher knows of it, is on its way until
/// then. Of accesses whose lanes are far apart each one fetches what one lane will want: other warps fetch what the others will.
void fetch_ahead(Warp& warp, std::uint64_t address, std::uint64_t lane_step, const unsigned char* at)
{
    constexpr std::uint64_t cache_line = 64, watched_line = 128;
    std::uint64_t ahead = expected_step(warp, address);
    const bool is_column = lane_step >= watched_line;
    if (is_column) ahead += warp.block->columns++ % lanes_of_warp * lane_step;
    const std::uint64_t next = reinterpret_cast<std::uintptr_t>(at) + ahead;
    __builtin_prefetch(reinterpret_cast<const void*>(next));
    __builtin_prefetch(reinterpret_cast<const void*>(is_column ? next ^ cache_line : next + cache_line));
    warp.block->watch.fetch_ahead(address + ahead);
}

/// Does what find_addresses() does.
Spacing set_up(Warp& warp, const Instruction& instruction, const MemoryAccess& access)
{
    warp.access.size = access.bytes;
    warp.access.site = instruction.site;
    warp.access.operation = access.operation;
    warp.access.warp = warp.index;
    const std::uint32_t base = instruction.operand_at(static_cast<std::size_t>(access.base_operand));
    return access.base_bytes == 8 ? add_offsets<std::uint64_t>(warp, base, access.offset) : add_offsets<std::uint32_t>(warp, base, access.offset);
}

}  // namespace

void find_addresses(Warp& warp, const Instruction& instruction, const MemoryAccess& access)
{
    set_up(warp, instruction, access);
}

EvenPlace find_even_place(Warp& warp, const Instruction& instruction, const MemoryAccess& access)
{
    const Spacing spacing = set_up(warp, instruction, access);
    if (!spacing.is_even || warp.active != all_lanes) return {};
    const auto size = static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t first = spacing.first, step = spacing.step, last = spacing.last();
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
    if (place.space == ptx::Space::global) fetch_ahead(warp, least, descends ? -step : step, place.first);
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
        note_plain_access(warp, access, place.space, all, changed);
}

}  // namespace simt::warp
