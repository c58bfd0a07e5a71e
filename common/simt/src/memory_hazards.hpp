// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The listeners that find races, in shared memory between the threads of a block and in global memory between blocks,
/// and reads of uninitialized shared memory.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/events.hpp"

namespace simt::detail {

/// Who knows of whose accesses within a warp, through `__syncwarp`, shuffles and votes.
class WarpOrder {
public:
    void begin_block(int warps);
    void synchronize(int warp, std::uint32_t lanes);
    /// Number of synchronizations of the warp so far: the stamp of an access made now.
    std::uint32_t now(int thread) const { return warps_[static_cast<std::size_t>(thread / warp_size)].count; }
    /// True if what `earlier` did at `stamp` is ordered before what `later`, a thread of the same warp, does now.
    bool ordered(int earlier, std::uint32_t stamp, int later) const;

private:
    struct Warp {
        std::uint32_t count = 0;
        /// knows[a][b]: count of the last synchronization through which lane a has heard of lane b.
        std::array<std::array<std::uint32_t, warp_size>, warp_size> knows{};
    };
    std::vector<Warp> warps_;
};

/// Finds races between threads of a block, and reads of shared memory that the block has not written.
///
/// Two accesses to the same byte by different threads race if one of them is a store, both fall into the same interval
/// between barriers, no warp-level synchronization orders them, and they are not both atomic. The order in which the
/// model runs the threads plays no part. Two stores of the same value are harmless and not reported.
class SharedHazards {
public:
    void begin_block(int threads);
    /// All threads have reached a barrier or their end.
    void end_interval();
    void warp_barrier(int warp, std::uint32_t lanes) { order_.synchronize(warp, lanes); }
    void access(const WarpAccess& access);

private:
    struct Cell {
        std::uint32_t write_interval = 0, write_site = 0, write_stamp = 0;
        std::uint32_t read_interval = 0, read_site = 0, read_stamp = 0, read_lanes = 0;
        std::uint32_t other_site = 0;
        std::int16_t writer = -1, read_warp = -1, other_reader = -1;
        bool write_atomic = false;
    };
    /// A word of shared memory. Threads that access single bytes of it are told apart byte by byte.
    struct Word {
        Cell cell;
        std::vector<Cell> bytes;
        std::uint32_t split_interval = 0;
        std::uint32_t written_block = 0;
        /// Bytes that the block has written, and bytes that were read before.
        std::uint8_t written = 0, asked = 0;
        /// Number of the last read of unwritten bytes, counted from 1; of `asked_interval` only.
        std::uint32_t last_unwritten_read = 0, asked_interval = 0;
    };
    struct UnwrittenRead {
        std::uint64_t index;
        std::uint8_t bytes;
        int thread;
        std::uint32_t site, stamp;
        /// The one before of the same word, as in Word; 0 if there is none.
        std::uint32_t previous;
        /// A write that comes after it, by the same thread or ordered with it, does not excuse it.
        bool certain;
    };
    struct ThreadAccess {
        Operation operation;
        int thread;
        std::uint32_t site;
        bool changed;
    };

    void access_word(std::uint64_t index, std::uint8_t bytes, const ThreadAccess& access);
    void check_written(std::uint64_t index, std::uint8_t bytes, const ThreadAccess& access);
    void confirm_unwritten_reads(const Word& word, std::uint8_t bytes, int writer);
    void report_unwritten_reads();
    void check(Cell& cell, const ThreadAccess& access);
    void check_against_write(const Cell& cell, const ThreadAccess& access) const;
    void check_against_reads(const Cell& cell, const ThreadAccess& access) const;
    void note_read(Cell& cell, const ThreadAccess& access) const;
    bool ordered(int earlier, std::uint32_t stamp, int later) const;

    std::vector<Word> words_;
    std::vector<UnwrittenRead> unwritten_reads_;
    std::uint32_t interval_ = 0, block_ = 0;
    WarpOrder order_;
};

/// Finds races between blocks in global memory.
///
/// Two accesses to the same word by different blocks race if one of them is a store, unless both store the same value,
/// both are atomic, or an atomic access on a common address orders them: what a block did before its atomic access is
/// ordered before what another block does after a later atomic access to the same address.
///
/// Most memory is touched by one block alone, in the same way word after word. So 32 words share one summary, and get a
/// cell each only where two blocks meet or one block does several things.
class GlobalHazards {
public:
    GlobalHazards();
    ~GlobalHazards();
    void begin_launch();
    void begin_block(std::uint32_t number) { block_ = number; releases_ = 0; acquired_.clear(); }
    void access(const WarpAccess& access);

private:
    /// Who last wrote a word, and who was the first to read it. Blocks count from 1 here; 0 is none.
    struct Cell {
        std::uint32_t writer = 0, reader = 0;
        std::uint16_t write_site = 0, read_site = 0;
        std::uint8_t release = 0;
        std::uint8_t flags = 0;
    };
    struct Line;
    struct Shadow;
    struct Touch;

    Shadow& shadow_of(std::uint64_t address);
    std::uint16_t number_of(std::uint32_t site);
    void touch(const Touch& touch, const WarpAccess& access);
    bool summarizes_load(Line& line, std::uint32_t words) const;
    bool summarizes_store(Line& line, std::uint32_t words, std::uint8_t flags) const;
    Cell* cells_of(Line& line);
    void access_cell(Cell& cell, const WarpAccess& access, int lane);
    void synchronize(std::uint64_t address);
    bool ordered(std::uint32_t block, std::uint8_t release) const;
    void report(std::uint32_t other_block, std::uint16_t other_site, const WarpAccess& access, int lane, const char* what) const;

    std::unordered_map<std::uint64_t, std::unique_ptr<Shadow>> shadows_;
    Shadow* last_shadow_ = nullptr;
    /// The cells of the lines that have some, all of this launch.
    std::deque<std::array<Cell, warp_size>> cells_;
    std::vector<std::uint32_t> sites_;
    std::unordered_map<std::uint32_t, std::uint16_t> site_numbers_;
    std::uint16_t launch_ = 0, site_ = 0;
    std::uint32_t block_ = 0;
    std::uint8_t releases_ = 0;
    /// For each address of atomic accesses: the blocks that have released their accesses there, and how far.
    std::unordered_map<std::uint64_t, std::unordered_map<std::uint32_t, std::uint8_t>> released_;
    std::vector<std::uint64_t> acquired_;
};

/// Feeds both.
class MemoryHazards : public Listener {
public:
    void launch_begins(const LaunchInfo& info) override;
    void block_begins(const Extent& index) override;
    void warp_access(const WarpAccess& access) override;
    void block_barrier() override { shared_.end_interval(); }
    void block_ends() override { shared_.end_interval(); }
    /// After a block that was stopped, too.
    void launch_ends() override { shared_.end_interval(); }
    void warp_barrier(int warp, std::uint32_t lanes) override { shared_.warp_barrier(warp, lanes); }

private:
    LaunchInfo info_{};
    SharedHazards shared_;
    GlobalHazards global_;
};

}  // namespace simt::detail
