// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "hazards/global_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>

#include "rules/lanes.hpp"

namespace simt::hazards {

namespace {

constexpr std::uint8_t more_entries = GlobalLine::most_entries + 1;
constexpr std::uint32_t block_mask = UINT32_MAX >> GlobalEntry::kind_bits;

std::uint32_t kind_of(const WarpAccess& access) {
    if (is_read(access.operation)) return 0;
    return GlobalEntry::write | (access.operation == Operation::atomic ? GlobalEntry::atomic : 0) |
           (access.size >= 4 ? GlobalEntry::whole_words : 0);
}

void lock_line(GlobalLine& line) {
    constexpr int patience = 64;
    const std::atomic_ref locked(line.locked);
    for (int tries = 0; locked.exchange(1, std::memory_order_acquire) != 0; ++tries)
        if (tries > patience) std::this_thread::yield();
}

void unlock_line(GlobalLine& line) { std::atomic_ref(line.locked).store(0, std::memory_order_release); }

/// True if each lane accesses a line of its own, and all lines are in one chunk.
bool touches_a_column(const WarpAccess& access) {
    std::uint64_t step;
    if (!rules::is_evenly_spaced(access, step) || step < GlobalLine::bytes || step >> GlobalShadow::chunk_bits != 0) return false;
    return access.address[0] >> GlobalShadow::chunk_bits == access.address[warp_size - 1] >> GlobalShadow::chunk_bits;
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

std::vector<GlobalEntry>* GlobalLaunch::make_entries() {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::make_unique<std::vector<GlobalEntry>>());
    return entries_.back().get();
}

/// A line of this launch that no other host thread uses meanwhile.
class GlobalWatch::LockedLine {
public:
    /// @param number of the launch
    LockedLine(GlobalLine& line, GlobalLaunch& launch, std::uint32_t number, bool locks) : line_(line), launch_(launch), locks_(locks) {
        if (locks) lock_line(line);
        if (line.launch == number) return;
        line.launch = number;
        line.count = 0;
    }
    ~LockedLine() {
        if (locks_) unlock_line(line_);
    }
    LockedLine(const LockedLine&) = delete;
    LockedLine& operator=(const LockedLine&) = delete;

    std::span<GlobalEntry> entries() {
        if (line_.count == more_entries) return *line_.more;
        return {line_.entry, line_.count};
    }

    /// Records `entry` and returns true if no other block has touched the line, and its own block only in the same way.
    bool add_to_own(const GlobalEntry& entry) {
        GlobalEntry& own = line_.entry[0];
        if (line_.count == 0) {
            // Written one by one: a vector load right after a copy of the whole entry would have to wait for it.
            own.key = entry.key;
            own.instruction = entry.instruction;
            own.release = entry.release;
            own.words = entry.words;
            line_.count = 1;
            return true;
        }
        if (line_.count != 1 || !own.is_alike(entry)) return false;
        own.words |= entry.words;
        return true;
    }

    void add(const GlobalEntry& entry) {
        if (line_.count < GlobalLine::most_entries) {
            line_.entry[line_.count++] = entry;
            return;
        }
        if (line_.count == GlobalLine::most_entries) {
            line_.more = launch_.make_entries();
            line_.more->assign(line_.entry, line_.entry + GlobalLine::most_entries);
            line_.count = more_entries;
        }
        line_.more->push_back(entry);
    }

    /// Drops entries without words.
    void clean() {
        const auto is_empty = [](const GlobalEntry& entry) { return entry.words == 0; };
        if (line_.count == more_entries) {
            std::erase_if(*line_.more, is_empty);
            return;
        }
        GlobalEntry* end = std::remove_if(line_.entry, line_.entry + line_.count, is_empty);
        line_.count = static_cast<std::uint8_t>(end - line_.entry);
    }

private:
    GlobalLine& line_;
    GlobalLaunch& launch_;
    bool locks_;
};

void GlobalWatch::begin_block(std::uint64_t number) {
    block_ = static_cast<std::uint32_t>(number) & block_mask;
    releases_ = nullptr;
    release_count_ = 0;
}

void GlobalWatch::lock(const WarpAccess& access, std::uint32_t lanes) {
    std::uint64_t last = UINT64_MAX;
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t line = access.address[lane] >> GlobalLine::bits;
        if (line != last) held_.push_back(launch_.chunk_of(access.address[lane]) + GlobalShadow::place_in_chunk(access.address[lane]));
        last = line;
    }
    // All host threads lock lines in the same order, so that there is no deadlock.
    if (!std::ranges::is_sorted(held_)) std::ranges::sort(held_);
    held_.erase(std::ranges::unique(held_).begin(), held_.end());
    for (GlobalLine* const line : held_) lock_line(*line);
}

void GlobalWatch::unlock() {
    for (GlobalLine* const line : held_) unlock_line(*line);
    held_.clear();
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

void GlobalWatch::access(const WarpAccess& access) {
    const auto release = static_cast<std::uint16_t>(release_count_);
    GlobalEntry entry{block_ << GlobalEntry::kind_bits | kind_of(access), number_of(access.program_counter), release, 0};
    if (access.operation == Operation::atomic) synchronize_lanes(access);
    if (touches_a_column(access)) return touch_column(access, entry);
    const std::uint32_t launch = launch_.number();
    const bool locks = locks_lines();
    std::uint64_t chunk = UINT64_MAX;
    GlobalLine* lines = nullptr;
    for_each_line(access, [&](std::uint64_t line, std::uint32_t words) {
        const std::uint64_t address = line << GlobalLine::bits;
        if (address >> GlobalShadow::chunk_bits != chunk) {
            chunk = address >> GlobalShadow::chunk_bits;
            lines = launch_.chunk_of(address);
        }
        entry.words = words;
        GlobalLine& here = lines[GlobalShadow::place_in_chunk(address)];
        if (!LockedLine(here, launch_, launch, locks).add_to_own(entry)) touch(here, access, entry, line);
    });
}

void GlobalWatch::touch_column(const WarpAccess& access, GlobalEntry entry) {
    alignas(64) Lanes place, words;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        place[lane] = static_cast<std::uint32_t>(GlobalShadow::place_in_chunk(access.address[lane]));
        words[lane] = GlobalLine::words_at(access.address[lane], access.size);
    }
    GlobalLine* const lines = launch_.chunk_of(access.address[0]);
    const std::uint32_t launch = launch_.number();
    const bool locks = locks_lines();
    if (launch_.single_threaded() && touch_own(lines, place, words, entry, launch)) return;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
        entry.words = words[lane];
        GlobalLine& here = lines[place[lane]];
        if (!LockedLine(here, launch_, launch, locks).add_to_own(entry))
            touch(here, access, entry, access.address[lane] >> GlobalLine::bits);
    }
}

bool GlobalWatch::touch_own(GlobalLine* lines, const Lanes& place, const Lanes& words, const GlobalEntry& entry, std::uint32_t launch) {
    // The bytes of a line before the words of its first entry, as one vector of the processor.
    using Head = std::uint32_t __attribute__((vector_size(16)));
    static_assert(offsetof(GlobalLine, entry) + offsetof(GlobalEntry, words) == offsetof(GlobalLine, launch) + sizeof(Head));
    const Head own{launch, 1, entry.key, entry.instruction | static_cast<std::uint32_t>(entry.release) << 16};
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

void GlobalWatch::touch(GlobalLine& at, const WarpAccess& access, GlobalEntry entry, std::uint64_t number) {
    const Touch touch{access, entry, number};
    {
        LockedLine line(at, launch_, launch_.number(), locks_lines());
        if (touch.entry.is_write()) store(line, touch);
        else load(line, touch);
    }
    if (suspects_.empty()) [[likely]]
        return;
    for (const GlobalEntry& other : suspects_) judge(other, touch);
    suspects_.clear();
}

void GlobalWatch::load(LockedLine& line, const Touch& touch) {
    const GlobalEntry& self = touch.entry;
    std::uint32_t own = 0, once = 0, twice = 0;
    GlobalEntry* alike = nullptr;
    for (GlobalEntry& entry : line.entries()) {
        if (entry.is_write()) {
            if (entry.block() != block_ && entry.words & self.words) suspects_.push_back(entry);
        } else if (entry.block() == block_) {
            own |= entry.words;
            if (entry.is_alike(self)) alike = &entry;
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
    else line.add(fresh);
}

void GlobalWatch::store(LockedLine& line, const Touch& touch) {
    const GlobalEntry& self = touch.entry;
    GlobalEntry* alike = nullptr;
    bool any_empty = false;
    for (GlobalEntry& entry : line.entries()) {
        if (entry.block() != block_ && entry.words & self.words) suspects_.push_back(entry);
        if (!entry.is_write()) continue;
        if (entry.is_alike(self)) {
            entry.words |= self.words;
            alike = &entry;
        } else {
            entry.words &= ~self.words;
            any_empty |= entry.words == 0;
        }
    }
    if (!alike) line.add(self);
    if (any_empty) line.clean();
}

}  // namespace simt::hazards
