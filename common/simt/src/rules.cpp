// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "simt/rules.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace simt {

namespace {

/// A small set of numbers. Neighbouring lanes mostly touch neighbouring addresses, so the search starts at the newest.
template <int capacity>
class SmallSet {
public:
    bool insert(std::uint64_t value)
    {
        for (int i = size_; i-- > 0;)
            if (values_[static_cast<std::size_t>(i)] == value) return false;
        values_[static_cast<std::size_t>(size_++)] = value;
        return true;
    }
    int size() const { return size_; }

private:
    std::array<std::uint64_t, capacity> values_;
    int size_ = 0;
};

constexpr int most_banks = 32;

/// Distinct words in the fullest bank, over the words that `lanes` touch.
int wavefronts_of_phase(const WarpAccess& access, std::uint32_t lanes, const Machine& machine)
{
    // One list of words a bank: heads by bank, links by word.
    std::array<std::int16_t, most_banks> newest;
    newest.fill(-1);
    constexpr std::size_t most_words = 4 * warp_size + warp_size;
    std::array<std::uint64_t, most_words> words;
    std::array<std::int16_t, most_words> older;
    std::array<std::uint8_t, most_banks> in_bank{};
    int count = 0, fullest = 0;

    for (; lanes; lanes &= lanes - 1) {
        const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
        const std::uint64_t last = (address + static_cast<std::uint64_t>(access.size) - 1) / static_cast<std::uint64_t>(machine.bank_width);
        for (std::uint64_t word = address / static_cast<std::uint64_t>(machine.bank_width); word <= last; ++word) {
            const auto bank = static_cast<std::size_t>(word % static_cast<std::uint64_t>(machine.banks));
            int i = newest[bank];
            while (i >= 0 && words[static_cast<std::size_t>(i)] != word) i = older[static_cast<std::size_t>(i)];
            if (i >= 0) continue;
            words[static_cast<std::size_t>(count)] = word;
            older[static_cast<std::size_t>(count)] = newest[bank];
            newest[bank] = static_cast<std::int16_t>(count++);
            fullest = std::max(fullest, static_cast<int>(++in_bank[bank]));
        }
    }
    return fullest;
}

}  // namespace

SharedCost shared_cost(const WarpAccess& access, const Machine& machine)
{
    const int lanes_per_phase = machine.lanes_per_phase(access.size);
    const std::uint32_t phase_mask = lanes_per_phase >= warp_size ? ~0u : (1u << lanes_per_phase) - 1;
    SharedCost cost{0, 0};
    for (int first = 0; first < warp_size; first += lanes_per_phase) {
        const std::uint32_t lanes = access.active & (phase_mask << first);
        if (!lanes) continue;
        cost.wavefronts += wavefronts_of_phase(access, lanes, machine);
        cost.ideal_wavefronts += 1;
    }
    return cost;
}

GlobalCost global_cost(const WarpAccess& access, const Machine& machine)
{
    const auto sector_bytes = static_cast<std::uint64_t>(machine.sector_bytes);
    SmallSet<2 * warp_size> sectors;
    SmallSet<warp_size> addresses;
    for (std::uint32_t rest = access.active; rest; rest &= rest - 1) {
        const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
        if (!addresses.insert(address)) continue;
        sectors.insert(address / sector_bytes);
        sectors.insert((address + static_cast<std::uint64_t>(access.size) - 1) / sector_bytes);
    }
    const int bytes = addresses.size() * access.size;
    return {sectors.size(), (bytes + machine.sector_bytes - 1) / machine.sector_bytes};
}

}  // namespace simt
