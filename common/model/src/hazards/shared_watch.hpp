// Finds races between threads of a block, and reads of shared memory that the block has not written.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "hazards/block_reporter.hpp"
#include "hazards/thread_order.hpp"
#include "simt/events.hpp"

namespace simt::hazards {

/// The bytes of a word, a bit for each.
inline constexpr std::uint8_t all_bytes = 0xF;

/// Two accesses to the same byte by different threads race if one of them is a store, both fall into the same interval
/// between barriers of the block, nothing else orders them, and they are not both atomic. The order in which the threads
/// happen to run plays no part. Two stores of the same value are harmless and not reported.
class SharedWatch {
public:
    SharedWatch(BlockReporter& reporter, std::size_t shared_bytes);

    /// @param orders_parts some warps of the block may be ordered and others not
    void begin_block(int threads, bool orders_parts);
    /// Tells that all threads have reached a barrier or have ended.
    void end_interval();
    void access(const WarpAccess& access) { note(access, order_.now(access.warp)); }
    /// Tells that a warp begins accesses that nothing orders before they end: see BlockWatch::begin_accesses().
    std::uint32_t begin_accesses(std::vector<WarpAccess> accesses);
    void end_accesses(std::uint32_t number, std::uint32_t lanes, std::uint32_t changed);
    /// Tells that bytes were written by a writer that is not watched here.
    void mark_written(std::uint64_t offset, std::uint64_t bytes);

    void warp_barrier(int warp, std::uint32_t lanes) { order_.synchronize_lanes(warp, lanes); }
    void part_barrier(std::span<const int> warps);
    void release(int warp, std::uint64_t object);
    void acquire(int warp, std::uint64_t object);

private:
    /// An access of a warp in this interval.
    struct Record {
        std::uint32_t program_counter, stamp;
        std::uint8_t warp;
        Operation operation;

        bool lasts() const { return stamp == lasting; }
    };
    /// The stamp of accesses that have not ended: no access is ordered after them.
    static constexpr std::uint32_t lasting = std::numeric_limits<std::uint32_t>::max();
    /// An access of one thread in this interval: the number of its record times 32, plus the lane. Greater than any of
    /// an earlier interval.
    using ThreadAccess = std::uint32_t;

    /// The accesses of threads to a word, or to a byte of a word, in this interval.
    struct alignas(16) Cell {
        /// The last store or atomic access, or `split()`.
        ThreadAccess write = 0;
        /// The last read, and the lanes of its warp whose reads count. The lane in `read` has no meaning.
        ThreadAccess read = 0;
        std::uint32_t read_lanes = 0;
        /// A read by another warp, or 0.
        ThreadAccess other_read = 0;
    };
    /// A read of bytes that the block had not written.
    struct UnwrittenRead {
        std::uint32_t word;
        std::uint8_t bytes;
        int warp, lane;
        std::uint32_t program_counter, stamp;
        /// The number of the previous such read of the word in this interval, counted from 1; 0 if there is none.
        std::uint32_t previous;
        /// A later write does not excuse the read if it is by the same thread or ordered after the read.
        bool certain;
    };
    /// Accesses that have begun and not ended, and the number of the record of the first of them in this interval.
    struct LastingAccesses {
        std::vector<WarpAccess> accesses;
        std::uint32_t first_record = 0;
    };
    /// The current instruction.
    struct Current {
        const WarpAccess& access;
        /// The access number of lane 0.
        ThreadAccess record;
        std::uint32_t stamp;
        /// An asynchronous copy begins or ends to write.
        bool is_write_of_copy;
    };

    void note(const WarpAccess& access, std::uint32_t stamp, bool ends_copy = false);
    void note(LastingAccesses& accesses);
    /// Watches an access of all lanes to evenly spaced words whose cells are in one of the usual states. For other accesses, does
    /// nothing and returns false.
    bool access_together(const Current& current);
    /// The same for a load of one word by all lanes.
    bool load_one_word(std::size_t word, const Current& current);
    /// Makes sure that a word is watched.
    void make_room(std::uint64_t word) {
        if (word < words_.size()) [[likely]]
            return;
        words_.resize(std::bit_ceil(word + 1));
        written_.resize(words_.size());
    }
    void load_words(const Current& current);
    void store_words(const Current& current);
    void update_words(const Current& current);
    void access_bytes(const Current& current);
    void load_word(std::size_t word, const Current& current, std::size_t lane);
    void write_word(std::size_t word, const Current& current, std::size_t lane);
    void note_write(Cell& cell, const Current& current, std::size_t lane);

    void begin_interval();
    ThreadAccess add_record(const WarpAccess& access, std::uint32_t stamp);
    const Record& record_of(ThreadAccess access) const { return log_[access / warp_size - first_record_]; }
    bool is_of_interval(ThreadAccess access) const { return access > interval_start_; }
    /// Marks a word whose bytes are watched one by one: its `read` is an index into `split_`.
    ThreadAccess split() const { return interval_start_ + 1; }
    std::array<Cell, 4>& split_word(std::size_t word);
    void access_split_word(std::size_t word, unsigned bytes, const Current& current, std::size_t lane);

    void access_cell(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane);
    void check_against_write(const Cell& cell, const Current& current, std::size_t lane);
    bool races_with(ThreadAccess write, const Current& current, std::size_t lane);
    void check_against_reads(const Cell& cell, std::uint64_t key, const Current& current, std::size_t lane);
    ThreadAccess racing_read(const Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) const;
    void note_read(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane);
    void note_read_of_other_warp(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane);
    bool ordered(ThreadAccess earlier, const Current& current, std::size_t lane) const;
    bool is_of_warp(ThreadAccess access, const Current& current) const { return record_of(access).warp == current.access.warp; }

    void note_bytes(std::size_t word, unsigned bytes, const Current& current, std::size_t lane);
    void note_unwritten(std::size_t word, unsigned bytes, const Current& current, std::size_t lane);
    void note_written(std::size_t word, unsigned bytes, const Current& current, std::size_t lane);
    void report_unwritten_reads();

    BlockReporter& reporter_;
    ThreadOrder order_;
    /// Some warps of a block may be ordered and others not, so that two readers of a word cannot represent all of them.
    bool orders_parts_ = false;
    std::vector<Cell> words_;
    /// For each word: bytes that the block has written (bits 0 to 3), and bytes that were read before (bits 4 to 7).
    std::vector<std::uint8_t> written_;
    std::vector<std::array<Cell, 4>> split_;
    /// Readers that do not fit into a cell, by cell.
    std::unordered_map<std::uint64_t, std::vector<ThreadAccess>> more_reads_;
    std::vector<Record> log_;
    std::uint32_t first_record_ = 1;
    ThreadAccess interval_start_ = 0;
    /// By number.
    std::map<std::uint32_t, LastingAccesses> lasting_;
    std::uint32_t begun_ = 0;
    /// Two asynchronous copies of the block have been about to write the same word.
    bool copies_meet_ = false;
    std::vector<UnwrittenRead> unwritten_reads_;
    /// The number of the last unwritten read of each word in this interval, counted from 1.
    std::unordered_map<std::uint32_t, std::uint32_t> last_unwritten_read_;
};

}  // namespace simt::hazards
