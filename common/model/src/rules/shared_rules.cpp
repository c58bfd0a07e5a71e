// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// How shared memory serves an access.
//
// Compute capability 2.0 and later (CUDA C Programming Guide 4.2, section F.4.3): 32 banks of 4 bytes; lanes that touch
// the same word share it, so a request takes as many wavefronts as the fullest bank has distinct words. 8 bytes a lane
// are served by half-warps. 16 bytes a lane are served by quarter-warps; for 2.x the guide adds one to the ways of a
// quarter-warp's conflict.
//
// Compute capability 9.0, measured (tests/hardware/h200_access.json): the two halves of an 8-byte load, and the two
// neighboring quarters of each half of a 16-byte load, merge into one wavefront if the merged lanes have no bank
// conflict and
//  - each active lane l reads the same address as lane l^1 where that is active too, or all do so with lane l^2;
//  - except in the lower half of a 16-byte load: with lane 31 inactive nothing more is asked of it, with lane 31 active
//    each active lane needs a partner that is active.
// A 16-byte load of one address by at most 16 lanes, wherever they are, is one wavefront; by more, two. Why lane 31
// decides over the other half is not known.
// Stores never merge, and neither do matrices of ldmatrix (measured, tests/hardware/ldmatrix_probe.cu).
//
// Compute capability 1.x (CUDA C Programming Guide 4.2, section F.3.3): 16 banks of 4 bytes, a request a half-warp. A
// load is served in steps; a step serves every lane that wants one chosen word, and of each other bank one lane. The
// guide leaves open which word is chosen; here it is the word that most of the remaining lanes want, the lowest lane's
// among equals. Wider accesses are split into requests of 4 bytes a lane. Of lanes that store to one address, one does.

#include <array>
#include <numeric>
#include <span>

#include "lanes.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

using detail::all_lanes_agree;
using detail::for_each_lane;
using detail::for_lanes;
using detail::lane_group;

// 16 bytes that start in the middle of a word touch five.
constexpr std::size_t most_words = 5 * warp_size;
constexpr std::size_t most_banks = 32;

/// Calls `visit` with each bank and word that `lanes` touch, until it returns false. Returns whether it never did.
template <class Visit>
bool all_words(const WarpAccess& access, std::uint32_t lanes, const Machine& machine, Visit&& visit)
{
    const int shift = std::countr_zero(static_cast<unsigned>(machine.bank_width));
    const auto bank_mask = static_cast<std::uint64_t>(machine.banks - 1);
    for (; lanes; lanes &= lanes - 1) {
        const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
        const std::uint64_t last = (address + static_cast<std::uint64_t>(access.size) - 1) >> shift;
        for (std::uint64_t word = address >> shift; word <= last; ++word)
            if (!visit(static_cast<std::size_t>(word & bank_mask), word)) return false;
    }
    return true;
}

/// True if no bank holds two of the words that `lanes` touch.
bool is_free_of_conflicts(const WarpAccess& access, std::uint32_t lanes, const Machine& machine)
{
    std::array<std::uint64_t, most_banks> word_of_bank;
    std::uint32_t used = 0;
    return all_words(access, lanes, machine, [&](std::size_t bank, std::uint64_t word) {
        if (used >> bank & 1) return word_of_bank[bank] == word;
        used |= 1u << bank;
        word_of_bank[bank] = word;
        return true;
    });
}

/// Distinct words in the fullest bank, for lanes that touch one word each, which are `words`. 0 where that takes a closer look: banks conflict, and
/// the words are not in ascending order.
int most_in_a_bank(std::span<const std::uint32_t> words, const Machine& machine)
{
    const auto bank_mask = static_cast<std::uint32_t>(machine.banks - 1);
    std::array<std::uint32_t, most_banks> word_of_bank;
    for (const std::uint32_t word : words) word_of_bank[word & bank_mask] = word;
    bool is_free = true;
    for (const std::uint32_t word : words) is_free &= word_of_bank[word & bank_mask] == word;
    if (is_free) return 1;
    std::array<std::uint8_t, most_banks> in_bank{};
    in_bank[words[0] & bank_mask] = 1;
    int fullest = 1;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] < words[i - 1]) return 0;
        std::uint8_t& count = in_bank[words[i] & bank_mask];
        count = static_cast<std::uint8_t>(count + (words[i] != words[i - 1]));
        fullest = std::max(fullest, static_cast<int>(count));
    }
    return fullest;
}

/// True if no lane touches more than one word.
bool is_one_word_a_lane(const WarpAccess& access, const Machine& machine)
{
    return access.size <= machine.bank_width && detail::is_aligned(access);
}

/// Distinct words in the fullest bank, over the words that `lanes` touch.
int words_in_fullest_bank(const WarpAccess& access, std::uint32_t lanes, const Machine& machine)
{
    if (is_one_word_a_lane(access, machine)) {
        std::array<std::uint32_t, warp_size> words;
        std::size_t count = 0;
        const int shift = std::countr_zero(static_cast<unsigned>(machine.bank_width));
        for_lanes(lanes, [&](std::size_t lane) { words[count++] = static_cast<std::uint32_t>(access.address[lane] >> shift); });
        if (const int fullest = most_in_a_bank({words.data(), count}, machine)) return fullest;
    } else if (is_free_of_conflicts(access, lanes, machine)) {
        return 1;
    }
    // A list of words for each bank: its newest word by bank, the one before by word.
    std::array<std::int16_t, most_banks> newest;
    newest.fill(-1);
    std::array<std::uint64_t, most_words> words;
    std::array<std::int16_t, most_words> older;
    std::array<std::uint8_t, most_banks> in_bank{};
    std::int16_t count = 0;
    int fullest = 0;
    all_words(access, lanes, machine, [&](std::size_t bank, std::uint64_t word) {
        std::int16_t i = newest[bank];
        while (i >= 0 && words[static_cast<std::size_t>(i)] != word) i = older[static_cast<std::size_t>(i)];
        if (i >= 0) return true;
        words[static_cast<std::size_t>(count)] = word;
        older[static_cast<std::size_t>(count)] = newest[bank];
        newest[bank] = count++;
        fullest = std::max(fullest, static_cast<int>(++in_bank[bank]));
        return true;
    });
    return fullest;
}

/// What is asked of a lane whose partner is inactive.
enum class InactivePartner { fits, does_not_fit };

/// True if each of `lanes` has the same address as its partner, the lane whose number differs in the bit `distance`.
bool partners_agree(const WarpAccess& access, std::uint32_t lanes, int distance, InactivePartner inactive)
{
    bool agree = true;
    for_each_lane(lanes, [&](std::size_t lane) {
        const std::size_t partner = lane ^ static_cast<std::size_t>(distance);
        if (lanes >> partner & 1) agree &= access.address[lane] == access.address[partner];
        else agree &= inactive == InactivePartner::fits;
    });
    return agree;
}

bool partners_agree(const WarpAccess& access, std::uint32_t lanes, InactivePartner inactive)
{
    return partners_agree(access, lanes, 1, inactive) || partners_agree(access, lanes, 2, inactive);
}

/// True if the phases of `lanes`, which start with lane `first`, merge unless a bank conflict keeps them apart.
bool phases_may_merge(const WarpAccess& access, std::uint32_t lanes, int first)
{
    const bool is_lower_half_of_16_bytes = access.size == 16 && first == 0;
    if (!is_lower_half_of_16_bytes) return partners_agree(access, lanes, InactivePartner::fits);
    const bool last_lane_is_active = access.active >> (warp_size - 1) & 1;
    return !last_lane_is_active || partners_agree(access, lanes, InactivePartner::does_not_fit);
}

SharedCost cost_of_phases(const WarpAccess& access, std::uint32_t lanes, int phase_lanes, const Machine& machine)
{
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += phase_lanes) {
        const std::uint32_t phase = lanes & lane_group(first, phase_lanes);
        if (!phase) continue;
        cost.wavefronts += words_in_fullest_bank(access, phase, machine) + (access.size == 16 ? machine.extra_wavefronts_of_16_bytes : 0);
        cost.ideal_wavefronts += 1;
    }
    return cost;
}

SharedCost cost_of_merging_phases(const WarpAccess& access, int phase_lanes, const Machine& machine)
{
    if (access.size == 16 && all_lanes_agree(access)) {
        const int wavefronts = std::popcount(access.active) <= warp_size / 2 ? 1 : 2;
        return {wavefronts, wavefronts};
    }
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += 2 * phase_lanes) {
        const std::uint32_t both = access.active & lane_group(first, 2 * phase_lanes);
        if (!both) continue;
        const bool may_merge = phases_may_merge(access, both, first);
        if (may_merge && is_free_of_conflicts(access, both, machine)) {
            cost.wavefronts += 1;
            cost.ideal_wavefronts += 1;
            continue;
        }
        const SharedCost apart = cost_of_phases(access, both, phase_lanes, machine);
        cost.wavefronts += apart.wavefronts;
        cost.ideal_wavefronts += may_merge ? 1 : apart.ideal_wavefronts;
    }
    return cost;
}

/// One request of compute capability 1.x: the word of a half-warp's lanes that lies `offset` bytes into each element.
class OneBroadcastRequest {
public:
    OneBroadcastRequest(const WarpAccess& access, std::uint32_t lanes, std::uint64_t offset, const Machine& machine)
        : bank_mask_(static_cast<std::uint64_t>(machine.banks - 1)),
          bank_shift_(std::countr_zero(static_cast<unsigned>(machine.bank_width)))
    {
        for_each_lane(lanes, [&](std::size_t lane) {
            const std::uint64_t address = access.address[lane] + offset;
            if (access.operation != Operation::load &&
                std::find(address_.begin(), address_.begin() + count_, address) != address_.begin() + count_)
                return;
            address_[static_cast<std::size_t>(count_++)] = address;
        });
    }

    int load_steps()
    {
        int steps = 0;
        for (; count_ > 0; ++steps) {
            const std::uint64_t chosen = most_wanted_word();
            std::uint64_t served_banks = std::uint64_t{1} << (chosen & bank_mask_);
            int left = 0;
            for (int i = 0; i < count_; ++i) {
                const std::uint64_t word = word_of(i), bank = std::uint64_t{1} << (word & bank_mask_);
                if (word == chosen) continue;
                if (served_banks & bank) address_[static_cast<std::size_t>(left++)] = address_[static_cast<std::size_t>(i)];
                served_banks |= bank;
            }
            count_ = left;
        }
        return steps;
    }

    int store_steps() const
    {
        std::array<int, most_banks> in_bank{};
        int fullest = 0;
        for (int i = 0; i < count_; ++i) fullest = std::max(fullest, ++in_bank[word_of(i) & bank_mask_]);
        return fullest;
    }

private:
    std::uint64_t word_of(int i) const { return address_[static_cast<std::size_t>(i)] >> bank_shift_; }

    std::uint64_t most_wanted_word() const
    {
        std::uint64_t best = 0;
        int most = 0;
        for (int i = 0; i < count_; ++i) {
            int wanted = 0;
            for (int j = i; j < count_; ++j) wanted += word_of(j) == word_of(i);
            if (wanted > most) most = wanted, best = word_of(i);
        }
        return best;
    }

    std::uint64_t bank_mask_;
    int bank_shift_;
    std::array<std::uint64_t, warp_size> address_;
    int count_ = 0;
};

SharedCost cost_of_one_broadcast(const WarpAccess& access, const Machine& machine)
{
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += machine.shared_request_lanes) {
        const std::uint32_t lanes = access.active & lane_group(first, machine.shared_request_lanes);
        if (!lanes) continue;
        for (int offset = 0; offset < access.size; offset += machine.bank_width) {
            OneBroadcastRequest request(access, lanes, static_cast<std::uint64_t>(offset), machine);
            cost.wavefronts += access.operation == Operation::load ? request.load_steps() : request.store_steps();
            cost.ideal_wavefronts += 1;
        }
    }
    return cost;
}

/// The cost of an access of all lanes to aligned elements, a fixed number of elements apart or one word for all. A
/// phase then has as many elements as the banks hold side by side, and the fullest holds the greatest common divisor of
/// the two numbers. Nothing merges, as no two lanes have one address.
SharedCost cost_of_even_steps(std::uint64_t step, int size, int phase_lanes, const Machine& machine)
{
    if (step == 0) return {1, 1};
    const auto elements = static_cast<unsigned>(step >> std::countr_zero(static_cast<unsigned>(size)));
    const int in_fullest_bank = static_cast<int>(std::gcd(elements, static_cast<unsigned>(phase_lanes)));
    const int phases = warp_size / phase_lanes;
    return {phases * (in_fullest_bank + (size == 16 ? machine.extra_wavefronts_of_16_bytes : 0)), phases};
}

/// True if cost_of_even_steps() tells the cost.
bool has_even_steps(const WarpAccess& access, const Machine& machine, std::uint64_t& step)
{
    if (access.size < machine.bank_width || machine.banks != machine.shared_request_lanes) return false;
    const auto offset_bits = static_cast<std::uint64_t>(access.size) - 1;
    return detail::is_evenly_spaced(access, step) && (step != 0 || access.size == machine.bank_width) &&
           ((step | access.address[0]) & offset_bits) == 0;
}

/// Compute capability 9.0, measured (tests/hardware/h200_features.json): a bank serves the lanes of an atomic operation one after
/// another, also those with one address; comparing and swapping takes two wavefronts where others take one.
SharedCost cost_of_atomic(const WarpAccess& access, int phase_lanes, const Machine& machine)
{
    SharedCost cost{0, 0};
    const auto size = static_cast<std::uint64_t>(access.size);
    const auto places = static_cast<std::uint64_t>(machine.banks * machine.bank_width) / size;
    const int factor = access.atomic == AtomicKind::compare_and_swap ? 2 : 1;
    for (int first = 0; first < warp_size; first += phase_lanes) {
        const std::uint32_t phase = access.active & lane_group(first, phase_lanes);
        if (!phase) continue;
        std::array<int, 4 * most_banks> lanes_of_place{};
        for_each_lane(phase, [&](std::size_t lane) { ++lanes_of_place[access.address[lane] / size % places]; });
        cost.wavefronts += factor * *std::max_element(lanes_of_place.begin(), lanes_of_place.end());
        cost.ideal_wavefronts += factor;
    }
    return cost;
}

}  // namespace

SharedCost shared_cost(const WarpAccess& access, const Machine& machine)
{
    if (machine.shared_words == SharedWords::one_broadcast) return cost_of_one_broadcast(access, machine);
    const int phase_lanes = detail::lanes_for_size(machine.shared_request_lanes, access.size);
    const bool serializes = machine.wide_shared == WideShared::merging_phases && access.operation == Operation::atomic;
    if (is_loop(access, machine)) return loop_cost(access, machine).swaps;
    if (machine.wide_shared == WideShared::merging_phases && access.operation == Operation::async_copy) return copy_cost(access, machine);
    if (serializes && access.atomic != AtomicKind::counting && access.size >= machine.bank_width)
        return cost_of_atomic(access, phase_lanes, machine);
    if (std::uint64_t step; has_even_steps(access, machine, step)) return cost_of_even_steps(step, access.size, phase_lanes, machine);
    const bool merges = machine.wide_shared == WideShared::merging_phases && access.operation == Operation::load && !access.matrix_rows;
    if (merges && phase_lanes < machine.shared_request_lanes) return cost_of_merging_phases(access, phase_lanes, machine);
    return cost_of_phases(access, access.active, phase_lanes, machine);
}

}  // namespace simt
