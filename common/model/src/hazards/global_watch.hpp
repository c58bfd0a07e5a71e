// Finds races between blocks in global memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "hazards/block_order.hpp"
#include "hazards/block_reporter.hpp"
#include "hazards/global_shadow.hpp"
#include "simt/events.hpp"

namespace simt::hazards {

/// The state that the blocks of a launch share. Safe to use from several host threads.
class GlobalLaunch {
public:
    using PlaceOf = std::function<SourcePlace(std::uint32_t program_counter)>;

    GlobalLaunch(bool single_threaded, PlaceOf place_of, GlobalShadow::RangeOf range_of)
        : single_threaded_(single_threaded), place_of_(std::move(place_of)), range_of_(std::move(range_of)) {
        grid_barrier();
    }
    ~GlobalLaunch() {
        for (const GlobalShadow::Block block : lent_) shadow_.take_back(block);
    }
    GlobalLaunch(const GlobalLaunch&) = delete;
    GlobalLaunch& operator=(const GlobalLaunch&) = delete;

    /// Orders all earlier accesses before all later ones.
    void grid_barrier() { number_.store(shadow_.next_launch(), std::memory_order_relaxed); }
    std::uint32_t number() const { return number_.load(std::memory_order_relaxed); }
    bool single_threaded() const { return single_threaded_; }

    GlobalLine* chunk_of(std::uint64_t address) const {
        GlobalLine* const known = shadow_.known_chunk_of(address);
        return known ? known : shadow_.chunk_of(address, range_of_);
    }
    void fetch_ahead(std::uint64_t address) const {
        if (const GlobalLine* const chunk = shadow_.known_chunk_of(address))
            __builtin_prefetch(chunk + GlobalShadow::place_in_chunk(address), 1);
    }

    /// Short numbers for instructions that access global memory, and back. Instructions of one source place may share a number, and
    /// the number of different numbers is limited.
    std::uint16_t number_of(std::uint32_t program_counter);
    std::uint32_t program_counter_of(std::uint16_t number);

    /// Room for tables of lines, until the launch ends.
    std::span<std::byte> make_room();

    BlockOrder order;

private:
    GlobalShadow& shadow_ = GlobalShadow::instance();
    bool single_threaded_;
    std::atomic<std::uint32_t> number_{0};
    std::mutex mutex_;
    PlaceOf place_of_;
    GlobalShadow::RangeOf range_of_;
    std::vector<std::uint32_t> program_counters_;
    std::map<SourcePlace, std::uint16_t> numbers_;
    std::vector<GlobalShadow::Block> lent_;
    /// The unused rest of the last block of `lent_`.
    std::span<std::byte> room_;
};

inline bool is_read(Operation operation) {
    return operation == Operation::load || operation == Operation::async_copy || operation == Operation::bulk_copy;
}

/// Two accesses to the same word by different blocks race if one of them is a store, unless both store the same value,
/// both are atomic, or atomic accesses to a common address order them. The order in which blocks run plays no part.
class GlobalWatch {
public:
    GlobalWatch(GlobalLaunch& launch, BlockReporter& reporter) : launch_(launch), reporter_(reporter) {}

    void begin_block(std::uint64_t number);
    void access(const WarpAccess& access);
    /// Keeps other host threads from the lines of an access until unlock(). Two blocks that store the same value do not race, so the
    /// old value in memory matters: the stores to a line must be watched in the order in which they are executed.
    void lock(const WarpAccess& access, std::uint32_t lanes);
    void unlock();
    void fetch_ahead(std::uint64_t address) const { launch_.fetch_ahead(address); }
    /// Finds the lines of an access in which they are not next to one another, and prefetches what their tables have on its words.
    void fetch_entries(const WarpAccess& access);
    /// Orders the block as an atomic access to the address does.
    void synchronize(std::uint64_t address);

private:
    /// Lanes of an instruction that go to one line.
    struct Touch {
        const WarpAccess& access;
        /// The entry of the access; its `words` are words of the line.
        GlobalEntry entry;
        std::uint64_t line;
    };

    bool locks_lines() const { return !launch_.single_threaded() && held_.empty() && held_cells_.empty(); }
    using Lanes = std::array<std::uint32_t, warp_size>;
    /// Locks the cells of a column's lines, the lanes' places in their chunk, if they are few and no line is locked. It costs less than
    /// to lock each line.
    bool lock_cells(GlobalLine* lines, const Lanes& place);
    void unlock_cells();
    template <class Table> void make_table(Table*& table);
    /// Moves the entries of a line to tables.
    [[gnu::noinline]] void make_tables(GlobalLine& line);
    void add(GlobalLine& line, const GlobalEntry& entry);
    void add_read(GlobalTables& tables, const GlobalEntry& entry);
    void add_words(GlobalTables& tables, const GlobalEntry& entry);
    /// The same for a read of one word by a block that has made no release.
    static void add_word(GlobalTables& tables, const GlobalEntry& entry);
    void add_write(GlobalTables& tables, const GlobalEntry& entry);
    void add_to_tables(GlobalTables& tables, const GlobalEntry& entry);
    /// Notes an access to some words of a line in `suspects_` if it is one of another block.
    void suspect(const GlobalAccess& other, std::uint32_t words);
    [[gnu::noinline]] void suspect_tables(const GlobalTables& tables, const GlobalEntry& entry);
    std::uint16_t number_of(std::uint32_t program_counter);
    void synchronize_lanes(const WarpAccess& access);
    template <class Visit> static void for_each_line(const WarpAccess& access, Visit&& visit);
    void touch_fetched(const WarpAccess& access, GlobalEntry entry, bool locks);
    void touch_column(const WarpAccess& access, GlobalEntry entry);
    /// Records an access in which each lane has a line of its own, if no block has touched these lines, or this block alone in the way
    /// that `entry` says. Otherwise does nothing and returns false. No other host thread may use the lines meanwhile.
    static bool touch_own(GlobalLine* lines, const Lanes& place, const Lanes& words, const GlobalEntry& entry, std::uint32_t launch);
    void touch(GlobalLine& line, const WarpAccess& access, const GlobalEntry& entry, std::uint64_t number, bool locks);
    /// The general case. Notes the entries that the access may race with in `suspects_`.
    [[gnu::noinline]] void add_among_others(GlobalLine& line, const GlobalEntry& entry);
    void load(GlobalLine& line, const GlobalEntry& self);
    void store(GlobalLine& line, const GlobalEntry& self);
    [[gnu::noinline]] void judge_suspects(const Touch& touch);
    void judge(const GlobalEntry& other, const Touch& touch);
    static int racing_lane(const GlobalEntry& other, const Touch& touch);
    bool ordered(const GlobalEntry& other);
    void report(const GlobalEntry& other, const Touch& touch, int lane, Rank rank);

    GlobalLaunch& launch_;
    BlockReporter& reporter_;
    std::uint32_t block_ = 0;
    /// Null until the block releases something.
    BlockOrder::Entry* releases_ = nullptr;
    std::uint32_t release_count_ = 0;
    /// By program counter: the short number plus 1, or 0 before the first use.
    std::vector<std::uint32_t> numbers_;
    /// Lines that lock() has taken, and the lines with the locks that lock_cells() has.
    std::vector<GlobalLine*> held_, held_cells_;
    /// Where each lane's line of a column is in its chunk, from lock() to access().
    alignas(64) Lanes place_{};
    std::span<std::byte> room_;
    /// The line of each lane of an access, from fetch_entries() to access().
    std::array<GlobalLine*, warp_size> fetched_{};
    bool has_fetched_ = false;
    /// Entries that the current access may race with.
    std::vector<GlobalEntry> suspects_;
};

}  // namespace simt::hazards
