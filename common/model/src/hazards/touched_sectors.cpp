#include "hazards/touched_sectors.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::hazards {

TouchedSectors::Chunks& TouchedSectors::of_this_thread() {
    const std::lock_guard lock(mutex_);
    return by_thread_[std::this_thread::get_id()];
}

std::uint64_t TouchedSectors::count(Direction direction) const {
    std::unordered_map<std::uint64_t, std::vector<const Chunk*>> same;
    for (const auto& [thread, chunks] : by_thread_)
        for (const auto& [number, chunk] : chunks)
            if (number % 2 == direction) same[number].push_back(chunk.get());
    std::uint64_t all = 0;
    for (const auto& [number, chunks] : same)
        for (std::size_t word = 0; word < chunk_words; ++word) {
            Bits bits = 0;
            for (const Chunk* const chunk : chunks) bits |= (*chunk)[word];
            all += static_cast<std::uint64_t>(std::popcount(bits));
        }
    return all;
}

void SectorMarker::find_chunk(std::uint64_t number) {
    std::unique_ptr<TouchedSectors::Chunk>& chunk = chunks_[number];
    if (!chunk) chunk = std::make_unique<TouchedSectors::Chunk>();
    known_[number % remembered] = {number + 1, chunk.get()};
}

void SectorMarker::mark(std::uint64_t address, std::uint64_t bytes, TouchedSectors::Direction direction) {
    if (bytes == 0) return;
    std::uint64_t sector = address / sector_bytes;
    const std::uint64_t last = (address + bytes - 1) / sector_bytes;
    while (sector <= last) {
        const std::uint64_t number = std::min(64 - sector % 64, last - sector + 1);
        mark_sectors(sector, number, direction);
        sector += number;
    }
}

void SectorMarker::mark_lanes(const WarpAccess& access, TouchedSectors::Direction direction) {
    const auto size = static_cast<std::uint64_t>(access.size);
    if (std::uint64_t step; rules::is_evenly_spaced(access, step)) {
        if (step == size) return mark(access.address[0], warp_size * size, direction);
        // Warps that go through a matrix column by column come to the same sectors again and again.
        const Column column{access.address[0] / sector_bytes, step, direction};
        Column& last = last_columns_[column.first % last_columns_.size()];
        if (step % sector_bytes == 0 && column == last) return;
        last = column;
    }
    std::uint64_t last = UINT64_MAX;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t sector = access.address[lane] / sector_bytes;
        if (sector != last) mark_sectors(sector, 1, direction);
        last = sector;
    }
}

}  // namespace simt::hazards
