#include "hazards/global_watch.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <thread>

#include "rules/lanes.hpp"

namespace simt::hazards {

namespace {

constexpr std::uint32_t block_mask = UINT32_MAX >> GlobalAccess::kind_bits;

std::uint32_t kind_of(const WarpAccess& access) {
    if (is_read(access.operation)) return 0;
    return GlobalAccess::write | (access.operation == Operation::atomic ? GlobalAccess::atomic : 0) |
           (access.size >= 4 ? GlobalAccess::whole_words : 0);
}

/// Calls `is_done` until it returns true.
template <class IsDone> void wait_until(IsDone&& is_done) {
    constexpr int patience = 64;
    for (int tries = 0; !is_done(); ++tries)
        if (tries > patience) std::this_thread::yield();
}

bool try_to_lock(GlobalLine& line) {
    const std::atomic_ref locked(line.locked);
    if (locked.exchange(1) != 0) return false;
    if (std::atomic_ref(GlobalShadow::cell_of(line).cell_locked).load() == 0) [[likely]]
        return true;
    locked.store(0, std::memory_order_release);
    return false;
}

/// A host thread that has locked lines may wait for a cell here, since a host thread that has locked cells never waits for a line.
void lock_line(GlobalLine& line) {
    wait_until([&] { return try_to_lock(line); });
}

void unlock_line(GlobalLine& line) { std::atomic_ref(line.locked).store(0, std::memory_order_release); }

/// True if each lane accesses a line of its own, and all lines are in one chunk.
bool touches_a_column(const WarpAccess& access, std::uint32_t lanes) {
    std::uint64_t step;
    if (lanes != UINT32_MAX || !rules::has_even_addresses(access, step)) return false;
    if (step < GlobalLine::bytes || step >> GlobalShadow::chunk_bits != 0) return false;
    return access.address[0] >> GlobalShadow::chunk_bits == access.address[warp_size - 1] >> GlobalShadow::chunk_bits;
}

/// The places of the lanes' lines in their chunk.
void find_places(const WarpAccess& access, std::array<std::uint32_t, warp_size>& place) {
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        place[lane] = static_cast<std::uint32_t>(GlobalShadow::place_in_chunk(access.address[lane]));
}

/// Makes a line one of this launch.
void renew(GlobalLine& line, std::uint32_t launch) {
    if (line.launch == launch) return;
    line.launch = launch;
    line.count = 0;
}

std::span<GlobalEntry> entries_of(GlobalLine& line) { return {line.entry, line.count}; }

/// Records `entry` and returns true if no other block has touched the line, and its own block only in the same way.
bool add_to_own(GlobalLine& line, const GlobalEntry& entry) {
    GlobalEntry& own = line.entry[0];
    if (line.count == 0) {
        // Written one by one: a vector load right after a copy of the whole entry would have to wait for it.
        own.by.key = entry.by.key;
        own.by.instruction = entry.by.instruction;
        own.by.release = entry.by.release;
        own.words = entry.words;
        line.count = 1;
        return true;
    }
    if (line.count != 1 || own.by != entry.by) return false;
    own.words |= entry.words;
    return true;
}

/// Drops entries without words.
void clean(GlobalLine& line) {
    if (line.count == GlobalLine::in_tables) return;
    const std::span<GlobalEntry> entries = entries_of(line);
    line.count = static_cast<std::uint32_t>(std::ranges::remove(entries, 0u, &GlobalEntry::words).begin() - entries.begin());
}

}  // namespace

std::uint16_t GlobalLaunch::number_of(std::uint32_t program_counter) {
    const std::lock_guard lock(mutex_);
    if (program_counters_.size() > UINT16_MAX) return UINT16_MAX;
    const auto [known, is_new] = numbers_.try_emplace(place_of_(program_counter), static_cast<std::uint16_t>(program_counters_.size()));
    if (is_new) program_counters_.push_back(program_counter);
    return known->second;
}

std::uint32_t GlobalLaunch::program_counter_of(std::uint16_t number) {
    const std::lock_guard lock(mutex_);
    return program_counters_[number];
}

std::span<std::byte> GlobalLaunch::make_room() {
    constexpr std::size_t together = std::size_t{16} << 10;
    const std::lock_guard lock(mutex_);
    if (room_.size() < together) room_ = lent_.emplace_back(shadow_.lend_room());
    const std::span<std::byte> made = room_.first(together);
    room_ = room_.subspan(together);
    return made;
}

template <class Table> void GlobalWatch::make_table(Table*& table) {
    if (table) [[likely]]
        return;
    if (room_.size() < sizeof(Table)) room_ = launch_.make_room();
    table = reinterpret_cast<Table*>(room_.data());
    room_ = room_.subspan(sizeof(Table));
}

inline void GlobalWatch::add_word(GlobalTables& tables, const GlobalEntry& entry) {
    // The words are random to the processor, which cannot predict branches on them. So there are none.
    const auto word = static_cast<std::size_t>(std::countr_zero(entry.words));
    auto& readers = tables.readers->word[word];
    const bool is_second = tables.read >> word & 1, is_known = is_second & (readers.first.block() == entry.by.block());
    GlobalAccess nowhere, *const free[] = {&readers.first, &readers.second, &nowhere};
    const bool adds = !(is_known | (tables.read_twice >> word & 1));
    *free[adds ? is_second : 2] = entry.by;
    tables.read |= entry.words;
    tables.read_twice |= static_cast<std::uint32_t>(is_second & adds) << word;
}

inline void GlobalWatch::add_read(GlobalTables& tables, const GlobalEntry& entry) {
    make_table(tables.readers);
    if (entry.by.release == 0) {
        if ((entry.words & ~tables.read_twice) == 0) return;
        if (std::has_single_bit(entry.words)) return add_word(tables, entry);
    }
    add_words(tables, entry);
}

void GlobalWatch::add_words(GlobalTables& tables, const GlobalEntry& entry) {
    const auto renew_own = [&](GlobalAccess& reader) {
        if (reader.block() != entry.by.block()) return false;
        // What is ordered after the later read is ordered after the earlier one.
        if (reader.release != entry.by.release) reader = entry.by;
        return true;
    };
    for (const std::size_t word : lanes_in(entry.by.release == 0 ? entry.words & ~tables.read_twice : entry.words)) {
        auto& [first, second] = tables.readers->word[word];
        const std::uint32_t bit = 1u << word;
        if (!(tables.read & bit)) {
            first = entry.by;
            tables.read |= bit;
        } else if (!renew_own(first)) {
            if (tables.read_twice & bit) renew_own(second);
            else second = entry.by;
            tables.read_twice |= bit;
        }
    }
}

inline void GlobalWatch::add_write(GlobalTables& tables, const GlobalEntry& entry) {
    make_table(tables.writers);
    for (const std::size_t word : lanes_in(entry.words)) (*tables.writers)[word] = entry.by;
    tables.written |= entry.words;
}

void GlobalWatch::suspect(const GlobalAccess& other, std::uint32_t words) {
    if (other.block() == block_) return;
    const auto alike = std::ranges::find(suspects_, other, &GlobalEntry::by);
    if (alike == suspects_.end()) suspects_.push_back({other, words});
    else alike->words |= words;
}

void GlobalWatch::suspect_tables(const GlobalTables& tables, const GlobalEntry& entry) {
    for (const std::size_t word : lanes_in(entry.words)) {
        const std::uint32_t bit = 1u << word;
        if (tables.written & bit) suspect((*tables.writers)[word], bit);
        if (!entry.by.is_write()) continue;
        if (tables.read & bit) suspect(tables.readers->word[word].first, bit);
        if (tables.read_twice & bit) suspect(tables.readers->word[word].second, bit);
    }
}

inline void GlobalWatch::add_to_tables(GlobalTables& tables, const GlobalEntry& entry) {
    const bool is_write = entry.by.is_write();
    if (entry.words & (is_write ? tables.written | tables.read : tables.written)) [[unlikely]]
        suspect_tables(tables, entry);
    if (is_write) add_write(tables, entry);
    else add_read(tables, entry);
}

void GlobalWatch::make_tables(GlobalLine& line) {
    GlobalTables tables{};
    for (const GlobalEntry& entry : entries_of(line)) {
        if (entry.by.is_write()) {
            add_write(tables, entry);
            continue;
        }
        // Unlike add_word(), this reads no word of a fresh table, for which the processor would wait.
        make_table(tables.readers);
        add_words(tables, entry);
    }
    line.count = GlobalLine::in_tables;
    line.tables = tables;
}

void GlobalWatch::add(GlobalLine& line, const GlobalEntry& entry) {
    if (line.count < GlobalLine::most_entries) {
        line.entry[line.count++] = entry;
        return;
    }
    make_tables(line);
    if (entry.by.is_write()) return add_write(line.tables, entry);
    make_table(line.tables.readers);
    add_words(line.tables, entry);
}

void GlobalWatch::begin_block(std::uint64_t number) {
    block_ = static_cast<std::uint32_t>(number) & block_mask;
    releases_ = nullptr;
    release_count_ = 0;
}

bool GlobalWatch::lock_cells(GlobalLine* lines, const Lanes& place) {
    constexpr std::size_t most_cells = 16;
    const std::size_t first = place.front() / GlobalShadow::cell_lines, last = place.back() / GlobalShadow::cell_lines;
    if (last - first >= most_cells) return false;
    // All host threads lock cells in the same order.
    for (std::size_t cell = first; cell <= last; ++cell) {
        held_cells_.push_back(&GlobalShadow::cell_of(lines[cell * GlobalShadow::cell_lines]));
        wait_until([&] { return std::atomic_ref(held_cells_.back()->cell_locked).exchange(1) == 0; });
    }
    std::uint8_t any = 0;
    for (const std::uint32_t at : place) any |= std::atomic_ref(lines[at].locked).load();
    if (any) unlock_cells();
    return any == 0;
}

void GlobalWatch::unlock_cells() {
    for (GlobalLine* const cell : held_cells_) std::atomic_ref(cell->cell_locked).store(0, std::memory_order_release);
    held_cells_.clear();
}

void GlobalWatch::lock(const WarpAccess& access, std::uint32_t lanes) {
    if (touches_a_column(access, lanes)) {
        find_places(access, place_);
        if (lock_cells(launch_.chunk_of(access.address[0]), place_)) return;
    }
    GlobalLine::for_each(access, lanes, [&](std::uint64_t address) {
        held_.push_back(launch_.chunk_of(address) + GlobalShadow::place_in_chunk(address));
        __builtin_prefetch(held_.back(), 1);
    });
    // All host threads lock lines in the same order, so that there is no deadlock.
    if (!std::ranges::is_sorted(held_)) std::ranges::sort(held_);
    held_.erase(std::ranges::unique(held_).begin(), held_.end());
    for (GlobalLine* const line : held_) lock_line(*line);
}

void GlobalWatch::unlock() {
    unlock_cells();
    for (GlobalLine* const line : held_) unlock_line(*line);
    held_.clear();
}

void GlobalWatch::fetch_entries(const WarpAccess& access) {
    has_fetched_ = true;
    for (const std::size_t lane : lanes_in(access.active)) {
        const GlobalLine& line =
            *(fetched_[lane] = launch_.chunk_of(access.address[lane]) + GlobalShadow::place_in_chunk(access.address[lane]));
        if (line.count != GlobalLine::in_tables) continue;
        if (line.tables.readers) __builtin_prefetch(&line.tables.readers->word[access.address[lane] % GlobalLine::bytes / 4], 1);
    }
}

std::uint16_t GlobalWatch::number_of(std::uint32_t program_counter) {
    if (program_counter >= numbers_.size()) [[unlikely]]
        numbers_.resize(program_counter + std::size_t{1});
    std::uint32_t& number = numbers_[program_counter];
    if (number == 0) number = launch_.number_of(program_counter) + 1u;
    return static_cast<std::uint16_t>(number - 1);
}

void GlobalWatch::synchronize(std::uint64_t address) {
    if (!releases_) releases_ = &launch_.order.add(block_);
    const std::lock_guard lock(releases_->mutex);
    releases_->releases.add(address);
    release_count_ = releases_->releases.count();
}

void GlobalWatch::synchronize_lanes(const WarpAccess& access) {
    std::uint64_t last = 0;
    bool is_first = true;
    for (const std::size_t lane : lanes_in(access.active)) {
        if (!is_first && access.address[lane] == last) continue;
        is_first = false;
        last = access.address[lane];
        synchronize(last);
    }
}

template <class Visit> void GlobalWatch::for_each_line(const WarpAccess& access, Visit&& visit) {
    if (std::uint64_t step; rules::is_evenly_spaced(access, step) && access.size >= 4 && step == static_cast<std::uint64_t>(access.size)) {
        const std::uint64_t begin = access.address[0], end = begin + warp_size * static_cast<std::uint64_t>(access.size);
        for (std::uint64_t line = begin >> GlobalLine::bits; line << GlobalLine::bits < end; ++line) {
            const std::uint64_t first = std::max(begin, line << GlobalLine::bits), last = std::min(end, (line + 1) << GlobalLine::bits);
            visit(line, lane_group(static_cast<int>(first % GlobalLine::bytes / 4), static_cast<int>((last - first) / 4)));
        }
        return;
    }
    std::uint64_t line = UINT64_MAX;
    std::uint32_t words = 0;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint64_t address = access.address[lane];
        if (address >> GlobalLine::bits != line) {
            if (words) visit(line, words);
            line = address >> GlobalLine::bits;
            words = 0;
        }
        words |= GlobalLine::words_at(address, access.size);
    }
    visit(line, words);
}

inline void GlobalWatch::touch(GlobalLine& line, const WarpAccess& access, const GlobalEntry& entry, std::uint64_t number, bool locks) {
    if (locks) lock_line(line);
    renew(line, launch_.number());
    if (line.count == GlobalLine::in_tables) add_to_tables(line.tables, entry);
    else if (!add_to_own(line, entry)) add_among_others(line, entry);
    if (locks) unlock_line(line);
    if (!suspects_.empty()) [[unlikely]]
        judge_suspects({access, entry, number});
}

void GlobalWatch::access(const WarpAccess& access) {
    const bool has_fetched = std::exchange(has_fetched_, false);
    const auto release = static_cast<std::uint16_t>(release_count_);
    GlobalEntry entry{{block_ << GlobalAccess::kind_bits | kind_of(access), number_of(access.program_counter), release}, 0};
    if (access.operation == Operation::atomic) synchronize_lanes(access);
    if (touches_a_column(access, access.active)) return touch_column(access, entry);
    const bool locks = locks_lines();
    if (has_fetched) return touch_fetched(access, entry, locks);
    std::uint64_t chunk = UINT64_MAX;
    GlobalLine* lines = nullptr;
    for_each_line(access, [&](std::uint64_t line, std::uint32_t words) {
        const std::uint64_t address = line << GlobalLine::bits;
        if (address >> GlobalShadow::chunk_bits != chunk) {
            chunk = address >> GlobalShadow::chunk_bits;
            lines = launch_.chunk_of(address);
        }
        entry.words = words;
        touch(lines[GlobalShadow::place_in_chunk(address)], access, entry, line, locks);
    });
}

void GlobalWatch::touch_fetched(const WarpAccess& access, GlobalEntry entry, bool locks) {
    // A lane in the same line as the lane before it shares that lane's touch.
    Lanes words;
    std::uint32_t firsts = 0;
    const GlobalLine* last = nullptr;
    for (const std::size_t lane : lanes_in(access.active)) {
        const std::uint32_t here = GlobalLine::words_at(access.address[lane], access.size);
        if (fetched_[lane] == last) {
            words[static_cast<std::size_t>(std::bit_width(firsts)) - 1] |= here;
            continue;
        }
        last = fetched_[lane];
        words[lane] = here;
        firsts |= 1u << lane;
    }
    // A lock waits for the stores before it. So the lines are locked first, and then changed. A thread that waits holds no lines.
    std::uint32_t locked = 0;
    if (locks)
        for (const std::size_t lane : lanes_in(firsts)) locked |= static_cast<std::uint32_t>(try_to_lock(*fetched_[lane])) << lane;
    for (const std::uint32_t together : {locked, firsts & ~locked})
        for (const std::size_t lane : lanes_in(together)) {
            entry.words = words[lane];
            const bool is_locked = locked >> lane & 1;
            touch(*fetched_[lane], access, entry, access.address[lane] >> GlobalLine::bits, locks && !is_locked);
            if (is_locked) unlock_line(*fetched_[lane]);
        }
}

void GlobalWatch::touch_column(const WarpAccess& access, GlobalEntry entry) {
    alignas(64) Lanes words;
    if (held_cells_.empty()) find_places(access, place_);
    for (std::size_t lane = 0; lane < warp_size; ++lane) words[lane] = GlobalLine::words_at(access.address[lane], access.size);
    GlobalLine* const lines = launch_.chunk_of(access.address[0]);
    const bool locks = locks_lines(), locks_cells = locks && lock_cells(lines, place_);
    const bool is_done = (!locks || locks_cells) && touch_own(lines, place_, words, entry, launch_.number());
    if (locks_cells) unlock_cells();
    if (is_done) return;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        entry.words = words[lane];
        touch(lines[place_[lane]], access, entry, access.address[lane] >> GlobalLine::bits, locks);
    }
}

bool GlobalWatch::touch_own(GlobalLine* lines, const Lanes& place, const Lanes& words, const GlobalEntry& entry, std::uint32_t launch) {
    // The bytes of a line before the words of its first entry, as one vector of the processor.
    using Head = std::uint32_t __attribute__((vector_size(16)));
    static_assert(offsetof(GlobalLine, entry) + offsetof(GlobalEntry, words) == offsetof(GlobalLine, launch) + sizeof(Head));
    const Head own{launch, 1, entry.by.key, entry.by.instruction | static_cast<std::uint32_t>(entry.by.release) << 16};
    if (lines[place[0]].launch != launch) {
        bool is_known = false;
        for (const std::uint32_t at : place) is_known |= lines[at].launch == launch;
        if (is_known) return false;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            GlobalLine& line = lines[place[lane]];
            std::memcpy(&line.launch, &own, sizeof own);
            line.entry[0].words = words[lane];
        }
        return true;
    }
    Head differences{};
    for (const std::uint32_t at : place) {
        Head head;
        std::memcpy(&head, &lines[at].launch, sizeof head);
        differences |= head ^ own;
    }
    if (differences[0] | differences[1] | differences[2] | differences[3]) return false;
    for (std::size_t lane = 0; lane < warp_size; ++lane) lines[place[lane]].entry[0].words |= words[lane];
    return true;
}

void GlobalWatch::judge_suspects(const Touch& touch) {
    for (const GlobalEntry& other : suspects_) judge(other, touch);
    suspects_.clear();
}

void GlobalWatch::add_among_others(GlobalLine& line, const GlobalEntry& entry) {
    if (entry.by.is_write()) store(line, entry);
    else load(line, entry);
}

void GlobalWatch::load(GlobalLine& line, const GlobalEntry& self) {
    std::uint32_t own = 0, outdated = 0, once = 0, twice = 0;
    GlobalEntry* alike = nullptr;
    for (GlobalEntry& entry : entries_of(line)) {
        if (entry.by.is_write()) {
            if (entry.by.block() != block_ && entry.words & self.words) suspects_.push_back(entry);
        } else if (entry.by.block() == block_ && entry.by.release != self.by.release) {
            // What is ordered after the later read is ordered after this one.
            outdated |= entry.words & self.words;
            entry.words &= ~self.words;
        } else if (entry.by.block() == block_) {
            own |= entry.words;
            if (entry.by == self.by) alike = &entry;
        } else {
            twice |= once & entry.words;
            once |= entry.words;
        }
    }
    // Two readers are enough: whichever block writes the word, one of the two readers is a different block.
    GlobalEntry fresh = self;
    fresh.words &= ~own & ~twice;
    if (fresh.words == 0) return;
    if (alike) alike->words |= fresh.words;
    else add(line, fresh);
    if (outdated) clean(line);
}

void GlobalWatch::store(GlobalLine& line, const GlobalEntry& self) {
    GlobalEntry* alike = nullptr;
    bool any_empty = false;
    for (GlobalEntry& entry : entries_of(line)) {
        if (entry.by.block() != block_ && entry.words & self.words) suspects_.push_back(entry);
        if (!entry.by.is_write()) continue;
        if (entry.by == self.by) {
            entry.words |= self.words;
            alike = &entry;
        } else {
            entry.words &= ~self.words;
            any_empty |= entry.words == 0;
        }
    }
    if (!alike) add(line, self);
    if (any_empty) clean(line);
}

}  // namespace simt::hazards
