// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The rules are explained in shared_rules.cpp, which counts wavefronts without listing them: counting is done for every
// access, and this for a few.

#include "simt/schedule.hpp"

#include <map>
#include <set>
#include <utility>

#include "lanes.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

using detail::all_lanes_agree;
using detail::for_each_lane;
using detail::lane_group;
using detail::lanes_for_size;

std::uint64_t bank_width_of(const Machine& machine) { return static_cast<std::uint64_t>(machine.bank_width); }
std::uint64_t bank_of(std::uint64_t word, const Machine& machine) { return word % static_cast<std::uint64_t>(machine.banks); }

/// The words that `lanes` touch, by lane and then by word.
Wavefront words_of(const WarpAccess& access, std::uint32_t lanes, const Machine& machine)
{
    Wavefront words;
    for_each_lane(lanes, [&](std::size_t lane) {
        const std::uint64_t first = access.address[lane], last = first + static_cast<std::uint64_t>(access.size) - 1;
        for (std::uint64_t word = first / bank_width_of(machine); word <= last / bank_width_of(machine); ++word)
            words.push_back({static_cast<int>(lane), word});
    });
    return words;
}

/// Serves `lanes` together: the n-th distinct word of each bank in the n-th wavefront.
std::vector<Wavefront> schedule_of_phase(const WarpAccess& access, std::uint32_t lanes, const Machine& machine)
{
    std::vector<Wavefront> wavefronts;
    std::map<std::uint64_t, std::vector<std::uint64_t>> words_of_bank;
    for (const ServedWord& wanted : words_of(access, lanes, machine)) {
        auto& words = words_of_bank[bank_of(wanted.word, machine)];
        auto place = std::ranges::find(words, wanted.word);
        if (place == words.end()) place = words.insert(words.end(), wanted.word);
        const auto wavefront = static_cast<std::size_t>(place - words.begin());
        if (wavefront == wavefronts.size()) wavefronts.emplace_back();
        wavefronts[wavefront].push_back(wanted);
    }
    if (access.size == 16) wavefronts.resize(wavefronts.size() + static_cast<std::size_t>(machine.extra_wavefronts_of_16_bytes));
    return wavefronts;
}

void append(std::vector<Wavefront>& all, std::vector<Wavefront> more)
{
    for (Wavefront& wavefront : more) all.push_back(std::move(wavefront));
}

WarpAccess limited_to(const WarpAccess& access, std::uint32_t lanes)
{
    WarpAccess limited = access;
    limited.active &= lanes;
    return limited;
}

/// True if the rule serves the two neighboring phases of a load that start with lane `first` in one wavefront. The upper
/// phases can be asked about by themselves; the lower ones are what is left, for lane 31 decides over them as well.
bool are_merged(const WarpAccess& access, int first, std::uint32_t both, const Machine& machine)
{
    if (first > 0) return shared_cost(limited_to(access, both), machine).wavefronts == 1;
    const WarpAccess upper = limited_to(access, ~both);
    return shared_cost(access, machine).wavefronts - (upper.active ? shared_cost(upper, machine).wavefronts : 0) == 1;
}

/// Two neighboring phases of a load, in one wavefront if the rule merges them.
std::vector<Wavefront> schedule_of_two_phases(const WarpAccess& access, int first, int phase_lanes, const Machine& machine)
{
    const std::uint32_t both = access.active & lane_group(first, 2 * phase_lanes);
    if (are_merged(access, first, both, machine)) return {words_of(access, both, machine)};
    std::vector<Wavefront> wavefronts;
    for (const int start : {first, first + phase_lanes})
        append(wavefronts, schedule_of_phase(access, both & lane_group(start, phase_lanes), machine));
    return wavefronts;
}

/// A load of one address: by half-warps, or all at once where the rule says so.
std::vector<Wavefront> schedule_of_one_address(const WarpAccess& access, const Machine& machine)
{
    if (shared_cost(access, machine).wavefronts == 1) return {words_of(access, access.active, machine)};
    return {words_of(access, access.active & lane_group(0, warp_size / 2), machine),
            words_of(access, access.active & lane_group(warp_size / 2, warp_size / 2), machine)};
}

/// The word that most lanes want, the one of the lowest lane among equals.
std::uint64_t most_wanted(const Wavefront& wanted)
{
    const auto wishes = [&](const ServedWord& one) { return std::ranges::count(wanted, one.word, &ServedWord::word); };
    return std::ranges::max_element(wanted, {}, wishes)->word;
}

/// A load of one word a lane on a machine that broadcasts one word a step.
std::vector<Wavefront> schedule_of_broadcasts(Wavefront waiting, const Machine& machine)
{
    std::vector<Wavefront> wavefronts;
    while (!waiting.empty()) {
        const std::uint64_t chosen = most_wanted(waiting);
        std::set<std::uint64_t> busy{bank_of(chosen, machine)};
        Wavefront served, left;
        for (const ServedWord& one : waiting)
            (one.word == chosen || busy.insert(bank_of(one.word, machine)).second ? served : left).push_back(one);
        wavefronts.push_back(std::move(served));
        waiting = std::move(left);
    }
    return wavefronts;
}

/// A store of one word a lane on such a machine: each bank takes one lane a step.
std::vector<Wavefront> schedule_of_stores(const Wavefront& waiting, const Machine& machine)
{
    std::vector<Wavefront> wavefronts;
    std::map<std::uint64_t, std::size_t> in_bank;
    for (const ServedWord& one : waiting) {
        const std::size_t wavefront = in_bank[bank_of(one.word, machine)]++;
        if (wavefront == wavefronts.size()) wavefronts.emplace_back();
        wavefronts[wavefront].push_back(one);
    }
    return wavefronts;
}

/// Half-warps, one word of each lane after the other.
std::vector<Wavefront> schedule_of_one_broadcast(const WarpAccess& access, const Machine& machine)
{
    const bool is_load = access.operation == Operation::load;
    std::vector<Wavefront> wavefronts;
    for (int first = 0; first < warp_size; first += machine.shared_request_lanes)
        for (int offset = 0; offset < access.size; offset += machine.bank_width) {
            Wavefront wanted;
            std::set<std::uint64_t> stored;
            for_each_lane(access.active & lane_group(first, machine.shared_request_lanes), [&](std::size_t lane) {
                const std::uint64_t address = access.address[lane] + static_cast<std::uint64_t>(offset);
                if (is_load || stored.insert(address).second) wanted.push_back({static_cast<int>(lane), address / bank_width_of(machine)});
            });
            append(wavefronts, is_load ? schedule_of_broadcasts(wanted, machine) : schedule_of_stores(wanted, machine));
        }
    return wavefronts;
}

}  // namespace

std::vector<Wavefront> shared_schedule(const WarpAccess& access, const Machine& machine)
{
    if (machine.shared_words == SharedWords::one_broadcast) return schedule_of_one_broadcast(access, machine);
    const int phase_lanes = lanes_for_size(machine.shared_request_lanes, access.size);
    const bool merges = machine.wide_shared == WideShared::merging_phases && access.operation == Operation::load &&
                        phase_lanes < machine.shared_request_lanes;
    if (merges && access.size == 16 && all_lanes_agree(access)) return schedule_of_one_address(access, machine);
    const int step = merges ? 2 * phase_lanes : phase_lanes;
    std::vector<Wavefront> wavefronts;
    for (int first = 0; first < warp_size; first += step) {
        if (!(access.active & lane_group(first, step))) continue;
        append(wavefronts, merges ? schedule_of_two_phases(access, first, phase_lanes, machine)
                                  : schedule_of_phase(access, access.active & lane_group(first, step), machine));
    }
    return wavefronts;
}

nlohmann::ordered_json to_json(const std::vector<Wavefront>& wavefronts)
{
    auto json = nlohmann::ordered_json::array();
    for (const Wavefront& wavefront : wavefronts) {
        auto words = nlohmann::ordered_json::array();
        for (const ServedWord& one : wavefront) words.push_back({one.lane, one.word});
        json.push_back(std::move(words));
    }
    return json;
}

}  // namespace simt
