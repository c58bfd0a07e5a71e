// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Which sectors of global memory a launch has loaded and stored to: each has to come from the L2, or go there, once at least.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "simt/events.hpp"

namespace simt::hazards {

/// A bit for each sector of the memory that a launch touches, and each direction. Safe to use from several host threads.
class TouchedSectors {
public:
    enum Direction : std::uint8_t { loads, stores };

    /// A set of 64 sectors, which lie in 2 KiB.
    using Bits = std::atomic<std::uint64_t>;
    static constexpr int bits_shift = 11;
    static constexpr int chunk_shift = 22;
    static constexpr std::size_t chunk_words = std::size_t{1} << (chunk_shift - bits_shift);
    struct Chunk {
        std::array<std::array<Bits, chunk_words>, 2> bits{};
    };

    /// The 4 MiB that hold an address.
    Chunk& chunk_of(std::uint64_t address);
    std::uint64_t count(Direction direction) const;

private:
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
};

/// Marks sectors of a launch for one host thread at a time, which remembers the chunks that it has used last.
class SectorMarker {
public:
    explicit SectorMarker(TouchedSectors& touched) : touched_(touched) {}

    void mark(const WarpAccess& access);
    void mark(std::uint64_t address, std::uint64_t bytes, TouchedSectors::Direction direction);

private:
    static constexpr std::size_t remembered = 64;

    void mark_sector(std::uint64_t address, TouchedSectors::Direction direction);
    TouchedSectors::Bits& bits_at(std::uint64_t address, TouchedSectors::Direction direction);

    TouchedSectors& touched_;
    /// By the lowest bits of its number: the number of a chunk plus 1, and the chunk.
    std::array<std::pair<std::uint64_t, TouchedSectors::Chunk*>, remembered> known_{};
};

}  // namespace simt::hazards
