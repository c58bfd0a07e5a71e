#include "hazards/shared_watch.hpp"

#include <algorithm>
#include <bit>

#include "rules/lanes.hpp"

namespace simt::hazards {

namespace {

constexpr int asked_shift = 4;

/// The most records of one interval. In a longer interval, races with the accesses before these are not found: only a kernel with
/// very few barriers makes so many accesses, and it repeats them.
constexpr std::size_t most_records = std::size_t{1} << 20;
/// The number of possible records. Accesses of threads are also compared as signed numbers.
constexpr std::uint32_t record_numbers = INT32_MAX / warp_size;
/// The most accesses that last at a time. Beyond them the oldest are forgotten: only a kernel that does not wait has more, and it
/// repeats them.
constexpr std::size_t most_lasting = 2048;

bool writes(Operation operation) { return operation != Operation::load && operation != Operation::atomic; }

/// Calls `visit` with each word of each lane of an access to whole words.
template <class Visit> [[gnu::always_inline]] inline void for_each_word(const WarpAccess& access, Visit&& visit) {
    if (access.size == 4)
        return for_lanes(access.active, [&](std::size_t lane) __attribute__((always_inline)) { visit(access.address[lane] / 4, lane); });
    const auto words = static_cast<std::size_t>(access.size / 4);
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::size_t first = access.address[lane] / 4;
        for (std::size_t word = first; word < first + words; ++word) visit(word, lane);
    }
}

bool do_the_same(const WarpAccess& one, const WarpAccess& other) {
    return one.operation == other.operation && one.warp == other.warp && one.active == other.active && one.size == other.size &&
           one.address == other.address;
}

/// The key of a word, or of a byte of a word, among all cells.
std::uint64_t key_of_word(std::size_t word) { return word * 8; }
std::uint64_t key_of_byte(std::size_t word, std::size_t byte) { return word * 8 + 1 + byte; }

}  // namespace

SharedWatch::SharedWatch(BlockReporter& reporter, std::size_t shared_bytes) : reporter_(reporter) {
    const std::size_t words = std::bit_ceil(shared_bytes / 4 + 1);
    words_.resize(words);
    written_.resize(words);
    begin_interval();
}

void SharedWatch::begin_block(int threads, bool orders_parts) {
    orders_parts_ |= orders_parts;
    order_.begin_block(threads);
    std::ranges::fill(written_, std::uint8_t{0});
    lasting_.clear();
    copies_meet_ = false;
    begin_interval();
}

void SharedWatch::begin_interval() {
    first_record_ += static_cast<std::uint32_t>(log_.size());
    if (first_record_ > record_numbers - 2 * most_records) {
        std::ranges::fill(words_, Cell{});
        first_record_ = 1;
    }
    log_.clear();
    // The record of no access, whose number marks split words.
    log_.push_back({});
    interval_start_ = first_record_ * warp_size;
    split_.clear();
    if (!more_reads_.empty()) more_reads_.clear();
}

void SharedWatch::end_interval() {
    if (!unwritten_reads_.empty()) report_unwritten_reads();
    begin_interval();
    for (auto next = lasting_.begin(); next != lasting_.end();) {
        LastingAccesses& these = next->second;
        // A kernel may copy one tile to many places without a wait: the last of equal accesses stands for all.
        if (++next == lasting_.end() || !std::ranges::equal(these.accesses, next->second.accesses, do_the_same)) note(these);
    }
}

std::uint32_t SharedWatch::begin_accesses(std::vector<WarpAccess> accesses) {
    if (lasting_.size() == most_lasting) lasting_.erase(lasting_.begin());
    LastingAccesses& begun = lasting_[++begun_];
    begun.accesses = std::move(accesses);
    note(begun);
    return begun_;
}

void SharedWatch::note(LastingAccesses& these) {
    // Their records must follow one another.
    if (log_.size() + these.accesses.size() > most_records) begin_interval();
    these.first_record = first_record_ + static_cast<std::uint32_t>(log_.size());
    for (const WarpAccess& access : these.accesses) note(access, lasting);
}

void SharedWatch::end_accesses(std::uint32_t number, std::uint32_t lanes, std::uint32_t changed) {
    const auto ended = lasting_.find(number);
    if (ended == lasting_.end()) return;
    LastingAccesses& these = ended->second;
    const std::uint32_t first = these.first_record - first_record_;
    // An interval that became too long has lost them.
    if (first < log_.size())
        for (std::size_t i = 0; i < these.accesses.size(); ++i) log_[first + i].stamp = order_.now(these.accesses[i].warp);
    bool rest = false;
    for (WarpAccess& access : these.accesses) {
        if (copies_meet_ && access.operation != Operation::load) {
            WarpAccess end = access;
            end.active &= lanes;
            end.changed = changed;
            note(end, order_.now(end.warp), true);
        }
        access.active &= ~lanes;
        rest |= access.active != 0;
    }
    if (rest) note(these);
    else lasting_.erase(ended);
}

void SharedWatch::part_barrier(std::span<const int> warps) {
    orders_parts_ = true;
    order_.synchronize_warps(warps);
}

void SharedWatch::release(int warp, std::uint64_t object) {
    orders_parts_ = true;
    order_.release(warp, object);
}

void SharedWatch::acquire(int warp, std::uint64_t object) {
    orders_parts_ = true;
    order_.acquire(warp, object);
}

SharedWatch::ThreadAccess SharedWatch::add_record(const WarpAccess& access, std::uint32_t stamp) {
    if (log_.size() >= most_records) begin_interval();
    const auto number = first_record_ + static_cast<std::uint32_t>(log_.size());
    log_.push_back({access.program_counter, stamp, static_cast<std::uint8_t>(access.warp), access.operation});
    return number * warp_size;
}

void SharedWatch::mark_written(std::uint64_t offset, std::uint64_t bytes) {
    make_room((offset + bytes) / 4);
    for (std::uint64_t byte = offset; byte < offset + bytes; ++byte) written_[byte / 4] |= static_cast<std::uint8_t>(1u << byte % 4);
}

void SharedWatch::note(const WarpAccess& access, std::uint32_t stamp, bool ends_copy) {
    // The combined bits are at least the largest address.
    std::uint64_t bits = 0;
    if (access.evenly_spaced) bits = access.address[0] | access.address[warp_size - 1];
    else for_lanes(access.active, [&](std::size_t lane) { bits |= access.address[lane]; });
    make_room((bits + static_cast<std::uint64_t>(access.size)) / 4);
    const Current current{access, add_record(access, stamp), stamp, ends_copy || (stamp == lasting && access.operation != Operation::load)};
    if (access.size < 4) return access_bytes(current);
    if (access_together(current)) return;
    switch (access.operation) {
        case Operation::load: return load_words(current);
        case Operation::atomic: return update_words(current);
        default: return store_words(current);
    }
}

void SharedWatch::load_words(const Current& current) {
    // Local copies, because the compiler cannot know that cells are not part of the watch.
    Cell* const cells = words_.data();
    const std::uint8_t* const written = written_.data();
    const Record* const log = log_.data();
    const ThreadAccess start = interval_start_, record = current.record;
    const std::uint32_t first_record = first_record_;
    const int warp = current.access.warp;
    const bool orders_parts = orders_parts_;
    for_each_word(current.access, [&](std::size_t word, std::size_t lane) __attribute__((always_inline)) {
        Cell& cell = cells[word];
        if (cell.write > start || (written[word] & all_bytes) != all_bytes) [[unlikely]]
            return load_word(word, current, lane);
        if (cell.read <= start) {
            cell.read = record;
            cell.read_lanes = 1u << lane;
            cell.other_read = 0;
        } else if (cell.read == record) {
            cell.read_lanes |= 1u << lane;
        } else if (!orders_parts && log[cell.read / warp_size - first_record].warp != warp) {
            cell.other_read = record + static_cast<ThreadAccess>(lane);
        } else {
            load_word(word, current, lane);
        }
    });
}

void SharedWatch::store_words(const Current& current) {
    Cell* const cells = words_.data();
    std::uint8_t* const written = written_.data();
    const ThreadAccess start = interval_start_, record = current.record;
    for_each_word(current.access, [&](std::size_t word, std::size_t lane) __attribute__((always_inline)) {
        Cell& cell = cells[word];
        if (cell.write > start || cell.read > start || written[word] > all_bytes) [[unlikely]]
            return write_word(word, current, lane);
        cell.write = record + static_cast<ThreadAccess>(lane);
        written[word] = all_bytes;
    });
}

void SharedWatch::update_words(const Current& current) {
    for_each_word(current.access, [&](std::size_t word, std::size_t lane) { write_word(word, current, lane); });
}

void SharedWatch::load_word(std::size_t word, const Current& current, std::size_t lane) {
    note_unwritten(word, all_bytes, current, lane);
    Cell& cell = words_[word];
    if (is_of_interval(cell.write)) {
        if (cell.write == split()) return access_split_word(word, all_bytes, current, lane);
        check_against_write(cell, current, lane);
    }
    note_read(cell, key_of_word(word), current, lane);
}

void SharedWatch::write_word(std::size_t word, const Current& current, std::size_t lane) {
    note_bytes(word, all_bytes, current, lane);
    Cell& cell = words_[word];
    if (is_of_interval(cell.write)) {
        if (cell.write == split()) return access_split_word(word, all_bytes, current, lane);
        check_against_write(cell, current, lane);
    }
    if (is_of_interval(cell.read)) check_against_reads(cell, key_of_word(word), current, lane);
    note_write(cell, current, lane);
}

void SharedWatch::note_write(Cell& cell, const Current& current, std::size_t lane) {
    // A store stays noted when its own thread updates the word and nothing between them orders other threads: whatever is not ordered
    // after the update is not ordered after the store, with which updates race, too.
    if (current.access.operation == Operation::atomic && is_of_interval(cell.write)) {
        const Record& write = record_of(cell.write);
        const bool own = write.warp == current.access.warp && cell.write % warp_size == lane;
        if (own && write.operation != Operation::atomic && write.stamp == current.stamp) return;
    }
    cell.write = current.record + static_cast<ThreadAccess>(lane);
}

void SharedWatch::access_bytes(const Current& current) {
    const WarpAccess& access = current.access;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t address = access.address[lane];
        const unsigned bytes = ((1u << access.size) - 1) << address % 4;
        note_bytes(address / 4, bytes, current, lane);
        access_split_word(address / 4, bytes, current, lane);
    }
}

std::array<SharedWatch::Cell, 4>& SharedWatch::split_word(std::size_t word) {
    Cell& cell = words_[word];
    if (cell.write == split()) return split_[cell.read];
    split_.push_back({cell, cell, cell, cell});
    cell.write = split();
    cell.read = static_cast<ThreadAccess>(split_.size() - 1);
    return split_.back();
}

void SharedWatch::access_split_word(std::size_t word, unsigned bytes, const Current& current, std::size_t lane) {
    auto& cells = split_word(word);
    for (std::size_t byte = 0; byte < 4; ++byte)
        if (bytes >> byte & 1) access_cell(cells[byte], key_of_byte(word, byte), current, lane);
}

void SharedWatch::access_cell(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) {
    if (is_of_interval(cell.write)) check_against_write(cell, current, lane);
    if (current.access.operation == Operation::load) return note_read(cell, key, current, lane);
    if (is_of_interval(cell.read)) check_against_reads(cell, key, current, lane);
    note_write(cell, current, lane);
}

bool SharedWatch::ordered(ThreadAccess earlier, const Current& current, std::size_t lane) const {
    const Record& record = record_of(earlier);
    return order_.ordered(record.warp, static_cast<int>(earlier % warp_size), record.stamp, current.access.warp, static_cast<int>(lane));
}

bool SharedWatch::races_with(ThreadAccess write, const Current& current, std::size_t lane) {
    const Record& record = record_of(write);
    if (current.access.operation == Operation::atomic && record.operation == Operation::atomic) return false;
    if (record.lasts()) {
        // Copies may write the same value: what they have changed is known when they end.
        copies_meet_ |= current.is_write_of_copy;
        return !current.is_write_of_copy;
    }
    if (record.warp == current.access.warp && write % warp_size == lane) return false;
    if (writes(current.access.operation) && !(current.access.changed >> lane & 1)) return false;
    return !ordered(write, current, lane);
}

void SharedWatch::check_against_write(const Cell& cell, const Current& current, std::size_t lane) {
    const WarpAccess& access = current.access;
    if (!races_with(cell.write, current, lane)) return;
    const Record& write = record_of(cell.write);
    if (!reporter_.is_news(HazardKind::race, write.program_counter, access.program_counter)) return;
    const int writer = write.warp * warp_size + static_cast<int>(cell.write % warp_size);
    const int thread = access.warp * warp_size + static_cast<int>(lane);
    reporter_.report(HazardKind::race, {writer, thread}, write.program_counter, access.program_counter,
                     {write.lasts() ? MessageCode::race_with_lasting_write : MessageCode::race_in_shared_memory,
                      {{"first_thread", reporter_.thread(writer)},
                       {"first", write.operation},
                       {"second_thread", reporter_.thread(thread)},
                       {"second", access.operation}}});
}

void SharedWatch::check_against_reads(const Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) {
    const WarpAccess& access = current.access;
    const bool only_own_read = cell.other_read == 0 && cell.read_lanes == 1u << lane && is_of_warp(cell.read, current);
    if (only_own_read && !record_of(cell.read).lasts()) return;
    const ThreadAccess read = racing_read(cell, key, current, lane);
    if (read == 0) return;
    const Record& record = record_of(read);
    if (!reporter_.is_news(HazardKind::race, record.program_counter, access.program_counter)) return;
    const int reader = record.warp * warp_size + static_cast<int>(read % warp_size);
    const int thread = access.warp * warp_size + static_cast<int>(lane);
    reporter_.report(HazardKind::race, {reader, thread}, record.program_counter, access.program_counter,
                     {record.lasts() ? MessageCode::race_with_lasting_read : MessageCode::race_in_shared_memory,
                      {{"first_thread", reporter_.thread(reader)},
                       {"first", Operation::load},
                       {"second_thread", reporter_.thread(thread)},
                       {"second", access.operation}}});
}

SharedWatch::ThreadAccess SharedWatch::racing_read(const Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) const {
    const auto races = [&](ThreadAccess read) {
        return record_of(read).lasts() || (!is_of_warp(read, current) && !ordered(read, current, lane));
    };
    const auto first = cell.read + static_cast<ThreadAccess>(std::countr_zero(cell.read_lanes));
    if (races(first)) return first;
    if (cell.other_read != 0 && races(cell.other_read)) return cell.other_read;
    if (is_of_warp(cell.read, current))
        for (std::uint32_t rest = cell.read_lanes & ~(1u << lane); rest; rest &= rest - 1) {
            const auto read = cell.read + static_cast<ThreadAccess>(std::countr_zero(rest));
            if (!ordered(read, current, lane)) return read;
        }
    if (const auto more = more_reads_.find(key); more != more_reads_.end())
        if (const auto found = std::ranges::find_if(more->second, races); found != more->second.end()) return *found;
    return 0;
}

void SharedWatch::note_read(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) {
    const std::uint32_t bit = 1u << lane;
    if (!is_of_interval(cell.read)) {
        cell.read = current.record;
        cell.read_lanes = bit;
        cell.other_read = 0;
    } else if (cell.read == current.record) {
        cell.read_lanes |= bit;
    } else if (!is_of_warp(cell.read, current)) {
        note_read_of_other_warp(cell, key, current, lane);
    } else {
        // Readers that are ordered before this one are dropped: an access that is ordered after this one is ordered after them too.
        if (record_of(cell.read).stamp != current.stamp)
            for (std::uint32_t rest = cell.read_lanes & ~bit; rest; rest &= rest - 1)
                if (ordered(cell.read + static_cast<ThreadAccess>(std::countr_zero(rest)), current, lane))
                    cell.read_lanes &= ~(rest & -rest);
        // Of a warp's reads, the one that ends last stands for all.
        if (record_of(cell.read).stamp <= current.stamp) cell.read = current.record;
        cell.read_lanes |= bit;
    }
}

void SharedWatch::note_read_of_other_warp(Cell& cell, std::uint64_t key, const Current& current, std::size_t lane) {
    const ThreadAccess self = current.record + static_cast<ThreadAccess>(lane);
    if (!orders_parts_) {
        cell.other_read = self;
        return;
    }
    if (ordered(cell.read, current, lane)) {
        cell.read = current.record;
        cell.read_lanes = 1u << lane;
        if (cell.other_read != 0 && ordered(cell.other_read, current, lane)) cell.other_read = 0;
        return;
    }
    if (cell.other_read != 0 && is_of_warp(cell.other_read, current)) {
        if (record_of(cell.other_read).stamp > current.stamp) return;
    } else if (cell.other_read != 0 && !ordered(cell.other_read, current, lane)) {
        // Keeps the reader of each warp that ends last: an access that is ordered after it is ordered after the others.
        auto& more = more_reads_[key];
        const Record& other = record_of(cell.other_read);
        std::erase_if(more, [&](ThreadAccess read) { return record_of(read).warp == other.warp && record_of(read).stamp <= other.stamp; });
        more.push_back(cell.other_read);
    }
    cell.other_read = self;
}

void SharedWatch::note_bytes(std::size_t word, unsigned bytes, const Current& current, std::size_t lane) {
    const bool overwrites = current.access.operation == Operation::atomic && !current.access.needs_old;
    if (writes(current.access.operation) || overwrites) note_written(word, bytes, current, lane);
    else note_unwritten(word, bytes, current, lane);
}

void SharedWatch::note_written(std::size_t word, unsigned bytes, const Current& current, std::size_t lane) {
    const unsigned asked = written_[word] >> asked_shift, written = written_[word] & all_bytes;
    if (asked & bytes & ~written)
        if (const auto last = last_unwritten_read_.find(static_cast<std::uint32_t>(word)); last != last_unwritten_read_.end())
            for (std::uint32_t number = last->second; number != 0; number = unwritten_reads_[number - 1].previous) {
                UnwrittenRead& read = unwritten_reads_[number - 1];
                if (!(read.bytes & bytes & ~written)) continue;
                const bool same_thread = read.warp == current.access.warp && read.lane == static_cast<int>(lane);
                read.certain |=
                    same_thread || order_.ordered(read.warp, read.lane, read.stamp, current.access.warp, static_cast<int>(lane));
            }
    written_[word] |= static_cast<std::uint8_t>(bytes);
}

void SharedWatch::note_unwritten(std::size_t word, unsigned bytes, const Current& current, std::size_t lane) {
    // Another thread may still write the word before the next barrier. Then the hazard is the race between the two.
    const auto missing = static_cast<std::uint8_t>(bytes & ~((written_[word] | written_[word] >> asked_shift) & 0xFFu));
    if (!missing) return;
    written_[word] |= static_cast<std::uint8_t>(missing << asked_shift);
    std::uint32_t& last = last_unwritten_read_[static_cast<std::uint32_t>(word)];
    unwritten_reads_.push_back({static_cast<std::uint32_t>(word), missing, current.access.warp, static_cast<int>(lane),
                                current.access.program_counter, order_.now(current.access.warp), last, false});
    last = static_cast<std::uint32_t>(unwritten_reads_.size());
}

void SharedWatch::report_unwritten_reads() {
    for (const UnwrittenRead& read : unwritten_reads_) {
        const bool written = (written_[read.word] & read.bytes) == read.bytes;
        if ((written && !read.certain) || !reporter_.is_news(HazardKind::uninitialized, read.program_counter, read.program_counter))
            continue;
        const int thread = read.warp * warp_size + read.lane;
        reporter_.report(HazardKind::uninitialized, {thread}, read.program_counter, read.program_counter,
                         {MessageCode::unwritten_shared_memory, {{"thread", reporter_.thread(thread)}}});
    }
    unwritten_reads_.clear();
    last_unwritten_read_.clear();
}

}  // namespace simt::hazards
