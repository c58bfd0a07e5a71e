// How the global-memory accesses of a warp become transactions. Caches are not modeled otherwise.
//
// Compute capability 9.0, measured (tests/hardware/h200_access.json): a request moves each distinct sector of 32 bytes
// that its lanes touch, once, whatever the size of the access.
//
// Compute capability 2.x (CUDA C Programming Guide 4.2, section F.4.2): loads go through the L1 cache in lines of 128
// bytes; stores bypass it and move segments of 32 bytes. A warp of 4-byte accesses is one request, 8-byte accesses are
// a request a half-warp, 16-byte ones a request a quarter-warp; each moves its distinct lines. A line counts even if
// the cache already holds it.
//
// Compute capability 1.2 and 1.3 (section F.3.2.2): per half-warp, take the segment that holds the address of the
// lowest lane that is still to be served (32 bytes for 1-byte, 64 for 2-byte, 128 for wider words), and all lanes whose
// addresses lie in it; halve the segment while only one half is used, down to 32 bytes; move it; repeat.
//
// Compute capability 1.0 and 1.1 (section F.3.2.1): if the words have 4, 8 or 16 bytes and lane k of a half-warp
// accesses word k of an aligned segment of 16 words (except for inactive lanes), the whole segment is moved. Otherwise each
// active lane makes a transaction of 32 bytes.
//
// The L1 of compute capability 9.0, measured (chapters/errata/loads_from_the_l1.cu): it keeps its lines of 128 bytes in the banks of
// shared memory, word n of global memory in bank n modulo 32, and looks up four lines in a cycle. So an access takes as many cycles
// as it would take wavefronts in shared memory, and at least one for each four of its lines.

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <span>

#include "rules/distinct_sectors.hpp"
#include "simt/rules.hpp"

namespace simt {

namespace {

using rules::cache_line_bytes, rules::lookup_cycles;

constexpr int half_warp = 16;

/// The addresses of some lanes, in ascending order. Most accesses are in that order already.
class SortedAddresses {
public:
    SortedAddresses(const WarpAccess& access, std::uint32_t lanes) {
        bool ascending = true;
        for (const std::size_t lane : lanes_in(lanes)) {
            ascending &= count_ == 0 || address_[count_ - 1] <= access.address[lane];
            address_[count_++] = access.address[lane];
        }
        if (!ascending) std::sort(address_.begin(), address_.begin() + static_cast<std::ptrdiff_t>(count_));
    }

    std::span<const std::uint64_t> get() const { return {address_.data(), count_}; }

private:
    std::array<std::uint64_t, warp_size> address_;
    std::size_t count_ = 0;
};

/// Distinct lines that accesses of `size` bytes at `addresses`, in ascending order, touch.
int distinct_lines(std::span<const std::uint64_t> addresses, int size, int line_bytes) {
    const int shift = std::countr_zero(static_cast<unsigned>(line_bytes));
    std::uint64_t next = 0;
    std::uint64_t lines = 0;
    for (const std::uint64_t address : addresses) {
        const std::uint64_t first = std::max(next, address >> shift);
        const std::uint64_t end = ((address + static_cast<std::uint64_t>(size) - 1) >> shift) + 1;
        if (first < end) lines += end - first, next = end;
    }
    return static_cast<int>(lines);
}

int distinct_addresses(std::span<const std::uint64_t> addresses) {
    int count = 1;
    for (std::size_t i = 1; i < addresses.size(); ++i) count += addresses[i] != addresses[i - 1];
    return count;
}

int sectors_of_lines(const WarpAccess& access, const SortedAddresses& all, const Machine& machine) {
    const int line_bytes = access.operation == Operation::load ? machine.load_line_bytes : machine.store_line_bytes;
    const int request_lanes = machine.line_request_lanes ? rules::lanes_for_size(machine.line_request_lanes, access.size) : warp_size;
    if (request_lanes == warp_size) return distinct_lines(all.get(), access.size, line_bytes) * (line_bytes / sector_bytes);
    int lines = 0;
    for (int first = 0; first < warp_size; first += request_lanes) {
        const std::uint32_t lanes = access.active & lane_group(first, request_lanes);
        if (lanes) lines += distinct_lines(SortedAddresses(access, lanes).get(), access.size, line_bytes);
    }
    return lines * (line_bytes / sector_bytes);
}

/// True if a request moves distinct sectors, on this machine, and elements do not lie across two.
bool moves_sectors_of_elements(const WarpAccess& access, const Machine& machine) {
    if (machine.coalescing != Coalescing::distinct_lines || machine.line_request_lanes != 0 || machine.load_line_bytes != sector_bytes ||
        machine.store_line_bytes != sector_bytes)
        return false;
    return rules::is_aligned(access);
}

/// Returns the bytes of one transaction of compute capability 1.2 or 1.3, and removes the lanes that it serves from `lanes`.
std::uint64_t take_segment(const WarpAccess& access, std::uint32_t& lanes) {
    std::uint64_t bytes = access.size == 1 ? 32 : access.size == 2 ? 64 : 128;
    const std::uint64_t segment = access.address[static_cast<std::size_t>(std::countr_zero(lanes))] / bytes;
    std::uint64_t low = UINT64_MAX, high = 0;
    std::uint32_t served = 0;
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t address = access.address[lane];
        if (address / bytes != segment) continue;
        served |= 1u << lane;
        low = std::min(low, address);
        high = std::max(high, address + static_cast<std::uint64_t>(access.size) - 1);
    }
    lanes &= ~served;
    while (bytes > sector_bytes && low / (bytes / 2) == high / (bytes / 2)) bytes /= 2;
    return bytes;
}

int sectors_of_segments(const WarpAccess& access) {
    std::uint64_t bytes = 0;
    for (int first = 0; first < warp_size; first += half_warp) {
        std::uint32_t lanes = access.active & lane_group(first, half_warp);
        while (lanes) bytes += take_segment(access, lanes);
    }
    return static_cast<int>(bytes / sector_bytes);
}

int sectors_of_strict_order(const WarpAccess& access) {
    const auto size = static_cast<std::uint64_t>(access.size);
    int sectors = 0;
    for (int first = 0; first < warp_size; first += half_warp) {
        const std::uint32_t lanes = access.active & lane_group(first, half_warp);
        if (!lanes) continue;
        // The address of lane 0 of the half-warp if the other lanes are in order.
        const auto lowest = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::uint64_t segment = access.address[lowest] - size * (lowest - static_cast<std::size_t>(first));
        bool in_order = size >= 4 && segment % (half_warp * size) == 0;
        // 16-byte words fill two adjacent segments of 128 bytes, which are aligned to 128 bytes, not to 256.
        if (size == 16) in_order = segment % 128 == 0;
        for (const std::size_t lane : lanes_in(lanes)) {
            in_order &= access.address[lane] == segment + size * (lane - static_cast<std::size_t>(first));
        }
        sectors += in_order ? half_warp * access.size / sector_bytes : std::popcount(lanes);
    }
    return sectors;
}

/// Compute capability 9.0, measured (tests/hardware/h200_features.json). Lines of 128 bytes belong to four groups, by two parities of
/// bits of their number; bits from 24 on were not measured.
int group_of_line(std::uint64_t line) {
    constexpr std::uint64_t first = 0xEF'7AB5, second = 0xBA'D5DA;
    return (std::popcount(line & first) & 1) | (std::popcount(line & second) & 1) << 1;
}

/// Compute capability 9.0, measured like the groups. One line of a group is served at a time, that of the lowest waiting lane. A lane
/// of this line has to wait if a lower lane waits for the same bank, in whatever line of the group. So each of several lanes with one
/// address moves its sector again, and a lane that is late moves the sector of its neighbors again.
GlobalCost cost_of_atomic(const WarpAccess& access) {
    const auto size = static_cast<std::uint64_t>(access.size);
    std::array<std::uint64_t, warp_size> lines{};
    std::array<int, warp_size> groups{}, banks{};
    for (const std::size_t lane : lanes_in(access.active)) {
        lines[lane] = access.address[lane] / cache_line_bytes;
        groups[lane] = group_of_line(lines[lane]);
        banks[lane] = static_cast<int>(access.address[lane] % cache_line_bytes / size);
    }
    int sectors = 0;
    for (std::uint32_t waiting = access.active; waiting;) {
        const auto first = static_cast<std::size_t>(std::countr_zero(waiting));
        std::bitset<cache_line_bytes> taken;
        std::bitset<cache_line_bytes / sector_bytes> moved;
        std::uint32_t served = 0;
        for (const std::size_t lane : lanes_in(waiting)) {
            const auto bank = static_cast<std::size_t>(banks[lane]);
            if (groups[lane] != groups[first] || taken[bank]) continue;
            taken.set(bank);
            if (lines[lane] != lines[first]) continue;
            served |= 1u << lane;
            moved.set(access.address[lane] % cache_line_bytes / sector_bytes);
        }
        sectors += static_cast<int>(moved.count());
        waiting &= ~served;
    }
    const SortedAddresses addresses(access, access.active);
    return {sectors, (distinct_addresses(addresses.get()) * access.size + sector_bytes - 1) / sector_bytes};
}

/// True if the lanes of an access of all lanes certainly have a sector each, as those of a gather mostly have.
bool have_a_sector_each(const WarpAccess& access) {
    // The sectors twice in a row: a few comparisons of whole vectors compare each of them with all others.
    std::array<std::uint32_t, 2 * warp_size> sector;
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        sector[lane] = sector[warp_size + lane] = static_cast<std::uint32_t>(access.address[lane] / sector_bytes);
    std::array<std::uint32_t, warp_size> alike{};
    for (std::size_t distance = 1; distance <= warp_size / 2; ++distance)
        for (std::size_t lane = 0; lane < warp_size; ++lane) alike[lane] |= sector[lane] == sector[lane + distance] ? 1 : 0;
    std::uint32_t any = 0;
    for (const std::uint32_t one : alike) any |= one;
    return any == 0;
}

/// Cycles of the L1 to look up the lines of the active lanes' addresses, in any order.
int lookup_cycles_of_any_order(const WarpAccess& access) {
    // Lines in different slots differ. Each lane of a gather mostly has a line of its own; then counting slots is enough.
    constexpr int slot_bits = 9;
    std::array<std::uint8_t, 1 << slot_bits> is_taken{};
    int slots = 0;
    for_lanes(access.active, [&](std::size_t lane) {
        std::uint8_t& taken = is_taken[access.address[lane] / cache_line_bytes * 0x9E3779B97F4A7C15u >> (64 - slot_bits)];
        slots += !taken;
        taken = 1;
    });
    if (lookup_cycles(slots) == lookup_cycles(access.active_lanes())) return lookup_cycles(slots);
    return lookup_cycles(rules::distinct_lines(access));
}

/// Distinct lines that lanes `step` bytes apart touch.
int lines_of_even_steps(std::uint64_t first, std::uint64_t step, int size) {
    const std::uint64_t forward = std::min(step, std::uint64_t{0} - step);
    if (forward >= cache_line_bytes) return warp_size;
    const std::uint64_t begin = step == forward ? first : first - (warp_size - 1) * forward;
    return static_cast<int>((begin + (warp_size - 1) * forward + static_cast<std::uint64_t>(size) - 1) / cache_line_bytes -
                            begin / cache_line_bytes + 1);
}

/// True if the lanes access neighboring words, one of each bank. No bank conflicts then.
bool fill_each_bank_once(const WarpAccess& access, std::uint64_t step, const SharedMemory& memory) {
    const auto size = static_cast<std::uint64_t>(access.size);
    return step == size && access.size == memory.bank_width && memory.banks == warp_size && memory.request_lanes == warp_size &&
           access.address[0] % size == 0;
}

/// Counts the lines with a sector that is covered in part by ranges of bytes, which are in ascending order and disjoint.
class PartlyWrittenLines {
public:
    void add(std::uint64_t begin, std::uint64_t end) {
        if (begin % sector_bytes) add_line(begin);
        if (end % sector_bytes) add_line(end);
    }

    int count = 0;

private:
    void add_line(std::uint64_t address) {
        const std::uint64_t line = address / cache_line_bytes;
        count += count == 0 || line != last_;
        last_ = line;
    }

    std::uint64_t last_ = 0;
};

}  // namespace

int l1_cycles(const WarpAccess& access, const Machine& machine) {
    if (access.active == 0) return 0;
    std::uint64_t step;
    if (!rules::is_evenly_spaced(access, step)) return lookup_cycles_of_any_order(access);
    const int cycles = lookup_cycles(lines_of_even_steps(access.address[0], step, access.size));
    if (access.operation != Operation::load && access.operation != Operation::store) return cycles;
    if (fill_each_bank_once(access, step, machine.shared)) return cycles;
    return std::max(cycles, shared_cost(access, machine).wavefronts);
}

int partly_written_lines(const WarpAccess& access) {
    const auto size = static_cast<std::uint64_t>(access.size);
    PartlyWrittenLines lines;
    std::uint64_t step;
    if (rules::is_evenly_spaced(access, step)) {
        if (step == size) {
            lines.add(access.address[0], access.address[0] + warp_size * size);
            return lines.count;
        }
        // Elements that are so far apart have a line each.
        if (static_cast<std::int64_t>(step) >= cache_line_bytes && size < sector_bytes && rules::is_aligned(access)) return warp_size;
    }
    const SortedAddresses addresses(access, access.active);
    std::uint64_t begin = 0, end = 0;
    for (const std::uint64_t address : addresses.get()) {
        if (address > end) {
            lines.add(begin, end);
            begin = address;
        }
        end = address + size;
    }
    lines.add(begin, end);
    return lines.count;
}

GlobalCost global_cost(const WarpAccess& access, const Machine& machine) {
    if (moves_sectors_of_elements(access, machine)) {
        if (access.operation == Operation::async_copy && access.past_l1 && access.other_side) return copy_past_l1_cost(access);
        if (access.operation == Operation::atomic) return cost_of_atomic(access);
        if (!access.evenly_spaced && access.active == UINT32_MAX && have_a_sector_each(access)) return {warp_size, access.size};
        return rules::cost_of_elements(access);
    }
    const SortedAddresses addresses(access, access.active);
    const int ideal = (distinct_addresses(addresses.get()) * access.size + sector_bytes - 1) / sector_bytes;
    switch (machine.coalescing) {
        case Coalescing::distinct_lines: return {sectors_of_lines(access, addresses, machine), ideal};
        case Coalescing::shrinking_segments: return {sectors_of_segments(access), ideal};
        case Coalescing::strict_order: return {sectors_of_strict_order(access), ideal};
    }
    return {0, ideal};
}

}  // namespace simt
