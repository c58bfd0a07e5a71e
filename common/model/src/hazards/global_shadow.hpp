// The recorded accesses to each line of global memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "rules/lane_sets.hpp"
#include "simt/events.hpp"

namespace simt::hazards {

/// A block's access to global memory.
struct GlobalAccess {
    static constexpr std::uint32_t write = 1, atomic = 2, whole_words = 4, kind_bits = 3;

    /// Number of the block, times 8, plus the sum of the flags above that apply.
    std::uint32_t key;
    /// Number of the instruction among those of the launch.
    std::uint16_t instruction;
    /// The number of releases that the block had made before the access.
    std::uint16_t release;

    std::uint32_t block() const { return key >> kind_bits; }
    bool is_write() const { return key & write; }
    bool operator==(const GlobalAccess&) const = default;
};

/// The block that wrote some words of a line last, or read them first.
struct GlobalEntry {
    GlobalAccess by;
    /// Bit i is set for word i of the line.
    std::uint32_t words;
};

/// For each word of a line, the two blocks that have read it first. Two are enough: whichever block writes the word, one of the two is a
/// different block.
struct GlobalReaders {
    struct { GlobalAccess first, second; } word[32];
};
/// For each word of a line, the block that has written it last.
using GlobalWriters = std::array<GlobalAccess, 32>;

/// The accesses to a line that has many.
struct GlobalTables {
    /// Null until needed. Only words that the sets below have are filled in.
    GlobalReaders* readers;
    GlobalWriters* writers;
    /// The words with a first reader, with a second reader, and with a writer.
    std::uint32_t read, read_twice, written;
};

/// The accesses of a launch's blocks to 128 bytes. Most lines are accessed by one or two blocks in one or two ways.
struct GlobalLine {
    static constexpr int bits = 7;
    static constexpr std::size_t bytes = std::size_t{1} << bits;
    static constexpr std::uint32_t most_entries = 4, in_tables = most_entries + 1;

    /// Set while a host thread uses the line.
    std::uint8_t locked;
    /// Set in one line of each cell while a host thread uses lines of the cell without locking each of them.
    std::uint8_t cell_locked;
    std::uint8_t unused[6];
    /// The launch of the entries. Entries of an earlier launch do not count.
    std::uint32_t launch;
    /// Number of entries, or in_tables.
    std::uint32_t count;
    union {
        GlobalEntry entry[most_entries];
        GlobalTables tables;
    };

    /// The words of a line that an aligned access of `size` bytes at `address` touches.
    static std::uint32_t words_at(std::uint64_t address, int size) {
        const std::uint32_t words = size > 4 ? (1u << static_cast<unsigned>(size) / 4) - 1 : 1u;
        return words << (address % bytes / 4);
    }

    /// Calls `visit` with an address in each line that aligned elements of `lanes` lie in. A line may come several times.
    template <class Visit> static void for_each(const WarpAccess& access, std::uint32_t lanes, const Visit& visit) {
        if (lanes == UINT32_MAX && access.evenly_spaced && access.step == static_cast<std::uint64_t>(access.size)) {
            const std::uint64_t begin = access.address[0], end = begin + warp_size * access.step;
            for (std::uint64_t at = begin / bytes * bytes; at < end; at += bytes) visit(at);
            return;
        }
        std::uint64_t last = UINT64_MAX;
        for (const std::size_t lane : lanes_in(lanes)) {
            const std::uint64_t line = access.address[lane] >> bits;
            if (line != last) visit(access.address[lane]);
            last = line;
        }
    }
};
static_assert(sizeof(GlobalLine) == 64);

/// The lines of all memory that kernels have touched, by address. They take half as many bytes as that memory, and stay from
/// launch to launch. Safe to use from several host threads.
class GlobalShadow {
public:
    static GlobalShadow& instance();

    /// Lines are handed out in chunks.
    static constexpr int chunk_bits = 22;
    static constexpr std::size_t chunk_lines = (std::size_t{1} << chunk_bits) / GlobalLine::bytes;
    /// First byte and size of the allocation around an address.
    using RangeOf = std::function<std::pair<std::uint64_t, std::size_t>(std::uint64_t address)>;
    /// The lines of the 4 MiB that hold the address. Throws std::bad_alloc if there is no memory for them.
    GlobalLine* chunk_of(std::uint64_t address, const RangeOf& range_of);

    /// The same, or null if no access to the 4 MiB has been recorded yet.
    GlobalLine* known_chunk_of(std::uint64_t address) const {
        return chunks_[(address >> chunk_bits) % most_chunks].load(std::memory_order_acquire);
    }
    /// The place of an address's line. Without a rotation, all lines of a matrix's column would share one set of the processor's cache
    /// if the rows are a power of two long. So each page of 4 KiB (64 lines) is permuted by an exclusive or of its own.
    static std::size_t place_in_chunk(std::uint64_t address) {
        const std::size_t line = address / GlobalLine::bytes % chunk_lines;
        return line ^ (line / 64 % 64);
    }

    /// Lines are locked one by one, or all of some cells together. A cell watches 64 KiB, to which allocations are aligned: so neighboring
    /// tiles of a matrix mostly have cells of their own, and the blocks that store them do not wait for one another.
    static constexpr std::size_t cell_lines = 512;
    /// The line that has the lock of a line's cell. Cells have it in different places, since the first lines of all cells would share a
    /// set of the processor's cache.
    static GlobalLine& cell_of(GlobalLine& line) {
        constexpr std::uintptr_t bytes = cell_lines * sizeof(GlobalLine);
        const std::uintptr_t cell = reinterpret_cast<std::uintptr_t>(&line) / bytes;
        return reinterpret_cast<GlobalLine*>(cell * bytes)[cell * 73 % cell_lines];
    }

    /// Lends room for tables. Returned blocks are lent again, so that the host need not clear memory for each launch.
    using Block = std::span<std::byte>;
    Block lend_room();
    void take_back(Block block);

    /// A new number, for a launch or for the part of a launch after a barrier of the whole grid. Never 0.
    std::uint32_t next_launch() { return launch_.fetch_add(1, std::memory_order_relaxed) + 1; }

    /// Releases the memory that only these addresses need.
    void forget(std::uint64_t address, std::size_t bytes);

private:
    GlobalShadow();

    static constexpr int address_bits = 48;
    static constexpr std::size_t most_chunks = std::size_t{1} << (address_bits - chunk_bits);

    /// Above this number, chunks have small pages, since a kernel may touch a little of each.
    static constexpr std::uint32_t most_large_pages = 256;

    std::atomic<std::uint32_t> large_pages_{0};
    /// By the upper bits of an address. Unused pages take no memory.
    std::atomic<GlobalLine*>* chunks_;
    std::atomic<std::uint32_t> launch_{0};
    std::mutex mutex_;
    std::vector<Block> spare_;
};

}  // namespace simt::hazards
