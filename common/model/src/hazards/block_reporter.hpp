// Reports hazards of the running block.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "hazards/reports.hpp"
#include "interpreter/watch.hpp"
#include "simt/events.hpp"

namespace simt::hazards {

/// Reports hazards of the block that runs. Call is_news() before a message is made.
class BlockReporter {
public:
    BlockReporter(Reports& reports, const LaunchInfo& info, const std::string& kernel) : reports_(reports), info_(info), kernel_(kernel) {}

    void begin_block(const Extent& index, std::uint64_t number) {
        index_ = index;
        number_ = number;
    }
    std::uint64_t block_number() const { return number_; }
    const LaunchInfo& info() const { return info_; }
    const Extent& block() const { return index_; }
    Extent thread(int number) const { return info_.thread(number); }

    bool is_news(HazardKind kind, std::uint32_t program_counter, std::uint32_t other_program_counter, Rank rank) const {
        return reported_.is_news(kind, program_counter, other_program_counter, rank);
    }
    bool is_news(HazardKind kind, std::uint32_t program_counter, std::uint32_t other_program_counter) const {
        return is_news(kind, program_counter, other_program_counter, rank_of_block(number_));
    }

    /// A hazard of one access gives both program counters the same value.
    void report(HazardKind kind, std::initializer_list<int> threads, std::uint32_t program_counter, std::uint32_t other_program_counter,
                Rank rank, Message message) {
        reported_.add(kind, program_counter, other_program_counter, rank);
        Hazard hazard{kind, kernel_, index_, {}, {}, std::move(message)};
        for (const int one : threads) hazard.threads.push_back(info_.thread(one));
        std::vector<std::uint32_t> program_counters{program_counter};
        if (kind == HazardKind::race) program_counters.push_back(other_program_counter);
        reports_.add(rank, number_, program_counters, std::move(hazard));
    }
    void report(HazardKind kind, std::initializer_list<int> threads, std::uint32_t program_counter, std::uint32_t other_program_counter,
                Message message) {
        report(kind, threads, program_counter, other_program_counter, rank_of_block(number_), std::move(message));
    }

private:
    Reports& reports_;
    const LaunchInfo& info_;
    const std::string& kernel_;
    Extent index_;
    std::uint64_t number_ = 0;
    Reported reported_;
};

}  // namespace simt::hazards
