// In which bank a word lies, and which words of its bank come before it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simt/shared_memory.hpp"
#include "simt/warp_size.hpp"

namespace simt::rules {

/// Words and banks by division, for any numbers.
class AnyBanks {
public:
    explicit AnyBanks(const SharedMemory& memory)
        : banks_(static_cast<std::uint64_t>(memory.banks)), width_(static_cast<std::uint64_t>(memory.bank_width)) {}
    std::uint64_t word_of(std::uint64_t address) const { return address / width_; }
    std::size_t bank_of(std::uint64_t word) const { return static_cast<std::size_t>(word % banks_); }

private:
    std::uint64_t banks_, width_;
};

/// The same where both numbers are powers of two, without the time that a division takes.
class PowerOfTwoBanks {
public:
    static bool fit(const SharedMemory& memory) {
        return std::has_single_bit(static_cast<unsigned>(memory.banks)) && std::has_single_bit(static_cast<unsigned>(memory.bank_width));
    }
    explicit PowerOfTwoBanks(const SharedMemory& memory)
        : mask_(static_cast<std::uint64_t>(memory.banks) - 1), shift_(std::countr_zero(static_cast<unsigned>(memory.bank_width))) {}
    std::uint64_t word_of(std::uint64_t address) const { return address >> shift_; }
    std::size_t bank_of(std::uint64_t word) const { return static_cast<std::size_t>(word & mask_); }

private:
    std::uint64_t mask_;
    int shift_;
};

/// The distinct words of each bank, in the order in which they are asked for.
class WordsOfBanks {
public:
    /// The place of a word among those of its bank, counted from 0. A word that is new comes last.
    int place_of(std::size_t bank, std::uint64_t word) {
        Bank& here = banks_[bank];
        int place = here.words;
        for (int i = here.newest; place > 0; i = before_[static_cast<std::size_t>(i)]) {
            --place;
            if (words_[static_cast<std::size_t>(i)] == word) return place;
        }
        words_[static_cast<std::size_t>(count_)] = word;
        before_[static_cast<std::size_t>(count_)] = here.newest;
        here.newest = count_++;
        return here.words++;
    }

    /// Distinct words of all banks.
    int count() const { return count_; }

private:
    struct Bank { std::int16_t words, newest; };

    // A lane's bytes may start in the middle of a word.
    static constexpr std::size_t most_words = std::size_t{warp_size} * most_access_bytes;

    std::array<std::uint64_t, most_words> words_;
    std::array<std::int16_t, most_words> before_;
    std::array<Bank, most_banks> banks_{};
    std::int16_t count_ = 0;
};

}  // namespace simt::rules
