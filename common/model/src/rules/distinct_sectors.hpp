// The rule of global memory where a request moves each distinct sector that its lanes touch, once. Counting applies it, and so does
// the sector explorer on the book's pages.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "rules/lanes.hpp"
#include "simt/rules.hpp"

namespace simt::rules {

/// The cost of an access of all lanes to aligned elements `step` bytes apart, where a request moves distinct sectors.
inline GlobalCost cost_of_even_steps(std::uint64_t first, std::uint64_t step, int size) {
    const auto bytes = static_cast<std::uint64_t>(size);
    const auto back = std::uint64_t{0} - step;
    if (back < step) {  // addresses descend: the same from the other end
        first -= (warp_size - 1) * back;
        step = back;
    }
    if (step == 0) return {1, (size + sector_bytes - 1) / sector_bytes};
    // Steps of less than a sector touch every sector.
    const std::uint64_t last = first + (warp_size - 1) * step + bytes - 1;
    const int sectors = step < sector_bytes ? static_cast<int>(last / sector_bytes - first / sector_bytes + 1) : warp_size;
    return {sectors, size};
}

/// The sectors of a warp's access, and the elements of each that are wanted.
class WantedSectors {
public:
    WantedSectors() { number_of_slot_.fill(none); }

    void add(std::uint64_t address) {
        const std::uint64_t sector = address / sector_bytes;
        std::size_t slot = sector * 0x9E3779B97F4A7C15u >> (64 - slot_bits);
        const auto next = static_cast<std::uint8_t>(sectors);
        // The sector is put there beforehand, so that a free slot needs no case of its own.
        sector_[next] = sector;
        elements_[next] = 0;
        std::uint8_t number = number_of_slot_[slot] == none ? next : number_of_slot_[slot];
        while (sector_[number] != sector) [[unlikely]] {
            slot = (slot + 1) % number_of_slot_.size();
            number = number_of_slot_[slot] == none ? next : number_of_slot_[slot];
        }
        number_of_slot_[slot] = number;
        sectors += number == next;
        const std::uint32_t element = 1u << address % sector_bytes;
        elements += !(elements_[number] & element);
        elements_[number] |= element;
    }

    int sectors = 0, elements = 0;

private:
    /// Enough that two sectors rarely meet in a slot.
    static constexpr int slot_bits = 8;
    static constexpr std::uint8_t none = UINT8_MAX;
    std::array<std::uint8_t, 1 << slot_bits> number_of_slot_;
    std::array<std::uint64_t, warp_size + 1> sector_;
    std::array<std::uint32_t, warp_size + 1> elements_;
};

/// Counts the sectors and elements of addresses one by one, as long as these ascend.
class AscendingSectors {
public:
    explicit AscendingSectors(std::uint64_t first) : last_(first) {}

    void add(std::uint64_t address) {
        ascend &= address >= last_;
        sectors += address / sector_bytes != last_ / sector_bytes;
        elements += address != last_;
        last_ = address;
    }

    bool ascend = true;
    int sectors = 1, elements = 1;

private:
    std::uint64_t last_;
};

/// The cost of an access to aligned elements, where a request moves distinct sectors. An element lies in one sector.
inline GlobalCost cost_of_sectors(const WarpAccess& access) {
    const auto cost = [&](int sectors, int elements) {
        return GlobalCost{sectors, (elements * access.size + sector_bytes - 1) / sector_bytes};
    };
    if (access.active == 0) return cost(0, 0);
    AscendingSectors ascending(access.address[static_cast<std::size_t>(std::countr_zero(access.active))]);
    for_lanes(access.active, [&](std::size_t lane) { ascending.add(access.address[lane]); });
    if (ascending.ascend) return cost(ascending.sectors, ascending.elements);
    WantedSectors wanted;
    for_lanes(access.active, [&](std::size_t lane) { wanted.add(access.address[lane]); });
    return cost(wanted.sectors, wanted.elements);
}

/// The cost of an access to elements none of which lies in two sectors, where a request moves distinct sectors.
inline GlobalCost cost_of_elements(const WarpAccess& access) {
    std::uint64_t step;
    return is_evenly_spaced(access, step) ? cost_of_even_steps(access.address[0], step, access.size) : cost_of_sectors(access);
}

/// Bytes of a line of the L1.
inline constexpr int cache_line_bytes = 128;

/// Cycles in which the L1 looks up this many lines.
inline int lookup_cycles(int lines) {
    constexpr int lines_of_a_cycle = 4;
    return (lines + lines_of_a_cycle - 1) / lines_of_a_cycle;
}

/// Distinct lines in which the active lanes' addresses lie.
inline int distinct_lines(const WarpAccess& access) {
    // Line n of the addresses is sector n of the addresses divided by the number of sectors of a line.
    WantedSectors lines;
    for_lanes(access.active, [&](std::size_t lane) { lines.add(access.address[lane] / (cache_line_bytes / sector_bytes)); });
    return lines.sectors;
}

}  // namespace simt::rules
