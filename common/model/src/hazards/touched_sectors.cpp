// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "hazards/touched_sectors.hpp"

#include <algorithm>
#include <bit>

#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::hazards {

namespace {

/// Most sectors have been touched before, and then nothing is written that other host threads read.
void set(TouchedSectors::Bits& bits, std::uint64_t wanted) {
    if ((bits.load(std::memory_order_relaxed) & wanted) != wanted) bits.fetch_or(wanted, std::memory_order_relaxed);
}

}  // namespace

TouchedSectors::Chunk& TouchedSectors::chunk_of(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    auto& chunk = chunks_[address >> chunk_shift];
    if (!chunk) chunk = std::make_unique<Chunk>();
    return *chunk;
}

std::uint64_t TouchedSectors::count(Direction direction) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t all = 0;
    for (const auto& [number, chunk] : chunks_)
        for (const Bits& bits : chunk->bits[direction])
            all += static_cast<std::uint64_t>(std::popcount(bits.load(std::memory_order_relaxed)));
    return all;
}

TouchedSectors::Bits& SectorMarker::bits_at(std::uint64_t address, TouchedSectors::Direction direction) {
    const std::uint64_t number = address >> TouchedSectors::chunk_shift;
    auto& known = known_[number % remembered];
    if (known.first != number + 1) [[unlikely]]
        known = {number + 1, &touched_.chunk_of(address)};
    return known.second->bits[direction][(address >> TouchedSectors::bits_shift) % TouchedSectors::chunk_words];
}

void SectorMarker::mark_sector(std::uint64_t address, TouchedSectors::Direction direction) {
    set(bits_at(address, direction), std::uint64_t{1} << (address / sector_bytes % 64));
}

void SectorMarker::mark(std::uint64_t address, std::uint64_t bytes, TouchedSectors::Direction direction) {
    if (bytes == 0) return;
    std::uint64_t sector = address / sector_bytes;
    const std::uint64_t last = (address + bytes - 1) / sector_bytes;
    while (sector <= last) {
        const std::uint64_t first_bit = sector % 64, number = std::min(64 - first_bit, last - sector + 1);
        set(bits_at(sector * sector_bytes, direction), UINT64_MAX >> (64 - number) << first_bit);
        sector += number;
    }
}

void SectorMarker::mark(const WarpAccess& access) {
    const bool is_load = access.operation == Operation::load || access.operation == Operation::async_copy;
    const auto direction = is_load ? TouchedSectors::loads : TouchedSectors::stores;
    const auto size = static_cast<std::uint64_t>(access.size);
    if (std::uint64_t step; rules::is_evenly_spaced(access, step) && step == size)
        return mark(access.address[0], warp_size * size, direction);
    std::uint64_t last = UINT64_MAX;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t sector = access.address[lane] / sector_bytes;
        if (sector != last) mark_sector(access.address[lane], direction);
        last = sector;
    }
}

}  // namespace simt::hazards
