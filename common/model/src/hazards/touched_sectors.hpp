// Which sectors of global memory a launch has loaded and stored to: each has to come from the L2, or go there, once at least.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "simt/events.hpp"

namespace simt::hazards {

/// A bit for each sector of the memory that a launch touches, and each direction. Each host thread has bits of its own: neighboring
/// blocks, which run on different threads, touch neighboring sectors.
class TouchedSectors {
public:
    enum Direction : std::uint8_t { loads, stores };

    /// A set of 64 sectors, which lie in 2 KiB.
    using Bits = std::uint64_t;
    static constexpr int bits_shift = 11;
    static constexpr int chunk_shift = 22;
    static constexpr std::size_t chunk_words = std::size_t{1} << (chunk_shift - bits_shift);
    /// The sectors of 4 MiB that are touched in one direction, and those of all memory.
    using Chunk = std::array<Bits, chunk_words>;
    using Chunks = std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>>;
    static std::uint64_t number_of_chunk(std::uint64_t address, Direction direction) { return address >> chunk_shift << 1 | direction; }

    /// The sectors that the calling host thread touches.
    Chunks& of_this_thread();
    /// Call this after the last touch of all host threads.
    std::uint64_t count(Direction direction) const;

private:
    std::mutex mutex_;
    std::map<std::thread::id, Chunks> by_thread_;
};

/// Marks sectors of a launch for the host thread that made the marker. It remembers the chunks that it has used last.
class SectorMarker {
public:
    explicit SectorMarker(TouchedSectors& touched) : chunks_(touched.of_this_thread()) {}

    void mark(const WarpAccess& access) {
        const bool is_load = access.operation == Operation::load || access.operation == Operation::async_copy;
        const auto direction = is_load ? TouchedSectors::loads : TouchedSectors::stores;
        const std::uint64_t first = access.address[0] / sector_bytes, bytes = warp_size * static_cast<std::uint64_t>(access.size);
        const bool is_row = access.evenly_spaced && warp_size * access.step == bytes && access.address[0] % sector_bytes == 0;
        if (is_row && first % 64 + bytes / sector_bytes <= 64) mark_sectors(first, bytes / sector_bytes, direction);
        else mark_lanes(access, direction);
    }
    void mark(std::uint64_t address, std::uint64_t bytes, TouchedSectors::Direction direction);

private:
    static constexpr std::size_t remembered = 64;

    /// The first lane's sector of an access with evenly spaced addresses.
    struct Column {
        std::uint64_t first = 0, step = 0;
        TouchedSectors::Direction direction = TouchedSectors::loads;
        bool operator==(const Column&) const = default;
    };

    void mark_lanes(const WarpAccess& access, TouchedSectors::Direction direction);
    /// Marks sectors of one set.
    void mark_sectors(std::uint64_t first, std::uint64_t count, TouchedSectors::Direction direction) {
        const std::uint64_t address = first * sector_bytes, number = TouchedSectors::number_of_chunk(address, direction);
        const auto& known = known_[number % remembered];
        if (known.first != number + 1) [[unlikely]]
            find_chunk(number);
        (*known.second)[(address >> TouchedSectors::bits_shift) % TouchedSectors::chunk_words] |= UINT64_MAX >> (64 - count) << first % 64;
    }
    [[gnu::noinline]] void find_chunk(std::uint64_t number);

    TouchedSectors::Chunks& chunks_;
    /// By the lowest bits of its number: the number of a chunk plus 1, and the chunk.
    std::array<std::pair<std::uint64_t, TouchedSectors::Chunk*>, remembered> known_{};
    /// By the lowest bits of the first sector.
    std::array<Column, 8> last_columns_;
};

}  // namespace simt::hazards
