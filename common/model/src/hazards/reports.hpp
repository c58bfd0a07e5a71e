// Keeps the hazards of a launch: one of each kind and source lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/hazard.hpp"

namespace simt::hazards {

/// The hazard with the lowest rank, and among equals the first, represents all of its kind on the same lines. A wrong kernel makes
/// the same mistake in every block, and the report must not depend on which block runs first.
using Rank = std::uint64_t;

/// The rank of a hazard within a block.
inline Rank rank_of_block(std::uint64_t block) { return block << 33; }
/// The rank of a hazard between the running block and another. A GPU mostly runs lower blocks first.
inline Rank rank_of_blocks(std::uint64_t self, std::uint64_t other) {
    const auto higher = std::max(self, other), lower = std::min(self, other);
    return higher << 33 | Rank{self < other} << 32 | (lower & UINT32_MAX);
}

/// Safe to use from several host threads.
class Reports {
public:
    explicit Reports(std::function<SourcePlace(std::uint32_t)> place_of) : place_of_(std::move(place_of)) {}

    void add(Rank rank, std::uint64_t block_number, std::span<const std::uint32_t> program_counters, Hazard hazard);
    /// All hazards, in the order of their blocks.
    std::vector<Hazard> take();

private:
    struct Report {
        Rank rank;
        std::uint64_t block_number, sequence;
        Hazard hazard;
    };
    std::uint32_t number_of(std::uint32_t program_counter);

    std::mutex mutex_;
    std::function<SourcePlace(std::uint32_t)> place_of_;
    /// All instructions of a line have the same number.
    std::unordered_map<std::uint32_t, std::uint32_t> line_of_program_counter_;
    std::map<std::pair<std::string, int>, std::uint32_t> lines_;
    std::map<std::pair<HazardKind, std::vector<std::uint32_t>>, Report> reports_;
    std::uint64_t sequence_ = 0;
};

/// Remembers the hazards that the blocks of one host thread have reported, so that a message is made only for a new one.
class Reported {
public:
    /// True unless a hazard of this kind at these instructions was reported with this rank or a lower one.
    bool is_news(HazardKind kind, std::uint32_t program_counter, std::uint32_t other_program_counter, Rank rank) const {
        const auto known = ranks_.find({kind, program_counter, other_program_counter});
        return known == ranks_.end() || rank < known->second;
    }
    void add(HazardKind kind, std::uint32_t program_counter, std::uint32_t other_program_counter, Rank rank) {
        ranks_[{kind, program_counter, other_program_counter}] = rank;
    }

private:
    std::map<std::tuple<HazardKind, std::uint32_t, std::uint32_t>, Rank> ranks_;
};

}  // namespace simt::hazards
