// The rule of shared memory: which lanes and words each wavefront of an access serves. No other code has the rule.
// shared_cost() counts what it serves, shared_schedule() lists it, and the explorer on the book's pages is compiled from it.
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
//  - except in the lower half of a 16-byte load: with lane 31 inactive there is no further condition; with lane 31
//    active, each active lane needs an active partner.
// A 16-byte load of one address by at most 16 lanes, whichever they are, is one wavefront; by more, two. Why lane 31
// decides about the other half is not known. Stores never merge, and neither do matrices of ldmatrix (measured,
// tests/hardware/ldmatrix_probe.cu). A bank serves the lanes of an atomic operation one after another, also those with
// one address; comparing and swapping takes two wavefronts where others take one (measured, tests/hardware/h200_features.json).
//
// Compute capability 1.x (CUDA C Programming Guide 4.2, section F.3.3): 16 banks of 4 bytes, a request a half-warp. A
// load is served in steps; a step serves every lane that wants one chosen word, and of each other bank one lane. The
// guide leaves open which word is chosen; here it is the word that most of the remaining lanes want, the lowest lane's
// among equals. Wider accesses are split into requests of one word a lane. If several lanes store to one address, one is served.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "rules/bank_words.hpp"
#include "rules/lane_sets.hpp"
#include "simt/shared_memory.hpp"
#include "simt/warp_size.hpp"

namespace simt::rules {

/// The kinds of access that the rule distinguishes.
enum class SharedUse : std::uint8_t {
    load,
    /// A load whose phases never merge.
    load_of_matrix_rows,
    /// A store, or an access that is served like one.
    store,
    /// An atomic operation whose lanes a bank serves one after another, and one that takes two wavefronts for each.
    atomic,
    compare_and_swap,
};

inline bool is_one_by_one(SharedUse use) { return use == SharedUse::atomic || use == SharedUse::compare_and_swap; }

/// The parts of an access that the rule depends on.
struct SharedAccess {
    SharedUse use;
    /// Bytes of a lane: 1, 2, 4, 8 or 16.
    int size;
    /// Bit i is set when lane i takes part; at least one does.
    std::uint32_t active;
    /// The address of each active lane.
    const std::array<std::uint64_t, warp_size>& address;
};

/// The number of lanes of a request that are served together: all, or as many as fit side by side into the banks.
inline int phase_lanes(const SharedMemory& memory, int size) {
    if (size <= memory.bank_width) return memory.request_lanes;
    return std::clamp(memory.banks * memory.bank_width / size, 1, memory.request_lanes);
}

/// Serves one access. Calls `Visit` with the number of a wavefront, a lane, and a word that the wavefront serves to the lane.
template <class Banks, class Visit> class SharedService {
public:
    SharedService(const SharedAccess& access, const SharedMemory& memory, Visit& visit)
        : access_(access), memory_(memory), banks_(memory), visit_(visit) {}

    /// Serves the access, and returns its cost.
    SharedCost serve() {
        merges_ = memory_.wide == WideShared::merging_phases && access_.use == SharedUse::load &&
                  phase_lanes(memory_, access_.size) < memory_.request_lanes;
        if (merges_ && access_.size == 16 && all_lanes_agree()) {
            serve_one_address();
            return cost_;
        }
        for (int first = 0; first < warp_size; first += memory_.request_lanes) {
            const int lanes = std::min(memory_.request_lanes, warp_size - first);
            if (memory_.words == SharedWords::one_broadcast) split_request(access_.active & lane_group(first, lanes));
            else serve_request(first, first + lanes);
        }
        return cost_;
    }

private:
    /// One lane's wish for one word.
    struct Wish {
        std::size_t lane;
        std::uint64_t address, word;
    };

    /// The wishes of the lanes of a request, one each.
    struct Wishes {
        std::array<Wish, warp_size> all;
        std::size_t count = 0;

        void add(const Wish& wish) { all[count++] = wish; }
        const Wish* begin() const { return all.data(); }
        const Wish* end() const { return all.data() + count; }
    };

    std::uint64_t first_word(std::size_t lane) const { return banks_.word_of(access_.address[lane]); }
    std::uint64_t last_word(std::size_t lane) const {
        return banks_.word_of(access_.address[lane] + static_cast<std::uint64_t>(access_.size) - 1);
    }

    /// Calls `use` with each lane and each word that the lane touches, until `use` returns false. Returns whether `use` never did.
    template <class Use> bool all_words(std::uint32_t lanes, Use&& use) const {
        for (; lanes; lanes &= lanes - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
            const std::uint64_t last = last_word(lane);
            for (std::uint64_t word = first_word(lane); word <= last; ++word)
                if (!use(lane, word)) return false;
        }
        return true;
    }

    bool is_load() const { return access_.use == SharedUse::load || access_.use == SharedUse::load_of_matrix_rows; }

    void add(int wavefronts, int ideal) {
        cost_.wavefronts += wavefronts;
        cost_.ideal_wavefronts += ideal;
    }

    /// Wavefronts that `words` words take if they are spread evenly over all banks.
    int ideal_of(int words) const { return (words + memory_.banks - 1) / memory_.banks; }

    /// A request whose lanes share words. Its phases are served one after the other.
    void serve_request(int first, int end) {
        const int lanes = phase_lanes(memory_, access_.size), step = merges_ ? 2 * lanes : lanes;
        for (; first < end; first += step) {
            const std::uint32_t here = access_.active & lane_group(first, std::min(step, end - first));
            if (!here) continue;
            if (is_one_by_one(access_.use)) serve_one_by_one(here);
            else if (merges_) serve_two_phases(here, first, lanes);
            else serve_phase(here);
        }
    }

    /// Serves lanes together: the n-th distinct word of each bank in the n-th wavefront.
    void serve_phase(std::uint32_t lanes) {
        if (is_free_of_conflicts(lanes)) serve_at_once(lanes);
        else serve_in_turn(lanes);
        if (access_.size == 16) cost_.wavefronts += memory_.extra_wavefronts_of_16_bytes;
    }

    void serve_in_turn(std::uint32_t lanes) {
        WordsOfBanks asked;
        int wavefronts = 0;
        all_words(lanes, [&](std::size_t lane, std::uint64_t word) {
            const int place = asked.place_of(banks_.bank_of(word), word);
            visit_(cost_.wavefronts + place, lane, word);
            wavefronts = std::max(wavefronts, place + 1);
            return true;
        });
        add(wavefronts, ideal_of(asked.count()));
    }

    /// Serves lanes without a conflict between them.
    void serve_at_once(std::uint32_t lanes) {
        all_words(lanes, [&](std::size_t lane, std::uint64_t word) {
            visit_(cost_.wavefronts, lane, word);
            return true;
        });
        add(1, 1);
    }

    /// Serves the lanes of an atomic operation: the n-th lane of each place in the n-th wavefront.
    void serve_one_by_one(std::uint32_t lanes) {
        const auto size = static_cast<std::uint64_t>(access_.size);
        const std::uint64_t places = static_cast<std::uint64_t>(memory_.banks * memory_.bank_width) / size;
        const int factor = access_.use == SharedUse::compare_and_swap ? 2 : 1;
        std::array<std::int16_t, most_banks> lanes_of_place{};
        int most = 0;
        for (const std::size_t lane : lanes_in(lanes)) {
            const int before = lanes_of_place[access_.address[lane] / size % places]++;
            most = std::max(most, before + 1);
            all_words(1u << lane, [&](std::size_t, std::uint64_t word) {
                visit_(cost_.wavefronts + factor * before, lane, word);
                return true;
            });
        }
        add(factor * most, factor);
    }

    /// Serves two neighboring phases of a load: in one wavefront if they merge and no bank holds two of their words.
    void serve_two_phases(std::uint32_t both, int first, int lanes) {
        const bool may_merge = phases_may_merge(both, first);
        if (may_merge && is_free_of_conflicts(both)) return serve_at_once(both);
        const int ideal_before = cost_.ideal_wavefronts;
        for (const int start : {first, first + lanes})
            if (const std::uint32_t phase = both & lane_group(start, lanes)) serve_phase(phase);
        if (may_merge && has_room_in_one_wavefront(both)) cost_.ideal_wavefronts = ideal_before + 1;
    }

    /// Serves a load of one address: by half-warps, or all lanes at once if few take part.
    void serve_one_address() {
        if (std::popcount(access_.active) <= warp_size / 2) return serve_at_once(access_.active);
        for (const int first : {0, warp_size / 2}) serve_at_once(access_.active & lane_group(first, warp_size / 2));
    }

    bool all_lanes_agree() const {
        const std::uint64_t address = access_.address[static_cast<std::size_t>(std::countr_zero(access_.active))];
        bool agree = true;
        for (const std::size_t lane : lanes_in(access_.active)) agree &= access_.address[lane] == address;
        return agree;
    }

    /// True if no bank holds two of the words that `lanes` touch.
    bool is_free_of_conflicts(std::uint32_t lanes) const {
        std::array<std::uint64_t, most_banks> word_of_bank;
        std::uint64_t used = 0;
        return all_words(lanes, [&](std::size_t, std::uint64_t word) {
            const std::size_t bank = banks_.bank_of(word);
            if (used >> bank & 1) return word_of_bank[bank] == word;
            used |= std::uint64_t{1} << bank;
            word_of_bank[bank] = word;
            return true;
        });
    }

    bool has_room_in_one_wavefront(std::uint32_t lanes) const {
        WordsOfBanks asked;
        return all_words(lanes, [&](std::size_t, std::uint64_t word) {
            asked.place_of(banks_.bank_of(word), word);
            return asked.count() <= memory_.banks;
        });
    }

    /// Whether a lane with an inactive partner may merge.
    enum class InactivePartner { fits, does_not_fit };

    /// True if each of `lanes` has the same address as its partner, the lane whose number differs in the bit `distance`.
    bool partners_agree(std::uint32_t lanes, std::size_t distance, InactivePartner inactive) const {
        bool agree = true;
        for (const std::size_t lane : lanes_in(lanes)) {
            const std::size_t partner = lane ^ distance;
            if (lanes >> partner & 1) agree &= access_.address[lane] == access_.address[partner];
            else agree &= inactive == InactivePartner::fits;
        }
        return agree;
    }

    bool partners_agree(std::uint32_t lanes, InactivePartner inactive) const {
        return partners_agree(lanes, 1, inactive) || partners_agree(lanes, 2, inactive);
    }

    /// True if the phases of `lanes`, which start with lane `first`, merge unless a bank conflict keeps them apart.
    bool phases_may_merge(std::uint32_t lanes, int first) const {
        const bool is_lower_half_of_16_bytes = access_.size == 16 && first == 0;
        if (!is_lower_half_of_16_bytes) return partners_agree(lanes, InactivePartner::fits);
        const bool last_lane_is_active = access_.active >> (warp_size - 1) & 1;
        return !last_lane_is_active || partners_agree(lanes, InactivePartner::does_not_fit);
    }

    /// Serves a request of a machine that shares one word at a time: the n-th words of its lanes are a request of their own.
    void split_request(std::uint32_t lanes) {
        for (std::uint64_t n = 0; lanes; ++n) {
            Wishes wishes;
            for (const std::size_t lane : lanes_in(lanes)) {
                const std::uint64_t address = access_.address[lane], word = first_word(lane) + n;
                if (word > last_word(lane)) lanes &= ~(1u << lane);
                else if (is_load() || std::ranges::find(wishes, address, &Wish::address) == wishes.end()) wishes.add({lane, address, word});
            }
            if (wishes.count == 0) break;
            add(is_load() ? serve_loads(wishes) : serve_stores(wishes), 1);
        }
    }

    /// Serves the chosen word and one lane of each other bank in a step.
    int serve_loads(Wishes& waiting) {
        int steps = 0;
        for (; waiting.count > 0; ++steps) {
            const std::uint64_t chosen = most_wanted_word(waiting);
            std::uint64_t busy = std::uint64_t{1} << banks_.bank_of(chosen);
            std::size_t left = 0;
            for (const Wish& wish : waiting) {
                const std::uint64_t bank = std::uint64_t{1} << banks_.bank_of(wish.word);
                if (wish.word == chosen || !(busy & bank)) visit_(cost_.wavefronts + steps, wish.lane, wish.word);
                else waiting.all[left++] = wish;
                busy |= bank;
            }
            waiting.count = left;
        }
        return steps;
    }

    /// Serves one lane of each bank in a step.
    int serve_stores(const Wishes& waiting) {
        std::array<std::int16_t, most_banks> in_bank{};
        int steps = 0;
        for (const Wish& wish : waiting) {
            const int before = in_bank[banks_.bank_of(wish.word)]++;
            visit_(cost_.wavefronts + before, wish.lane, wish.word);
            steps = std::max(steps, before + 1);
        }
        return steps;
    }

    /// The word that most lanes want, the one of the lowest lane among equals.
    static std::uint64_t most_wanted_word(const Wishes& waiting) {
        std::uint64_t best = 0;
        std::ptrdiff_t most = 0;
        for (const Wish* wish = waiting.begin(); wish != waiting.end(); ++wish) {
            const std::ptrdiff_t wanted = std::count_if(wish, waiting.end(), [&](const Wish& other) { return other.word == wish->word; });
            if (wanted > most) most = wanted, best = wish->word;
        }
        return best;
    }

    SharedAccess access_;
    SharedMemory memory_;
    Banks banks_;
    Visit& visit_;
    bool merges_ = false;
    SharedCost cost_{0, 0};
};

/// Serves an access, and returns its cost. The words of one bank are served in the order of the lanes that want them. The order
/// on hardware is not known, and changes no count.
template <class Banks, class Visit> SharedCost serve_shared(const SharedAccess& access, const SharedMemory& memory, Visit&& visit) {
    return SharedService<Banks, Visit>(access, memory, visit).serve();
}

}  // namespace simt::rules
