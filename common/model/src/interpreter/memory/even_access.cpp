// Addresses of lanes, and accesses whose addresses are evenly spaced, which are the most common.

#include <bit>
#include <cstring>
#include <type_traits>

#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

/// Lanes that are farther apart than this are examined one by one.
constexpr std::uint64_t farthest = std::uint64_t{1} << 40;

/// Evenly spaced addresses of lanes: the first active lane's, the distance from each lane's to the next lane's, and the number of steps to
/// the last active lane.
struct Spacing {
    std::uint64_t first = 0, step = 0, steps = warp_size - 1;
    bool is_even = false;

    std::uint64_t last() const { return first + steps * step; }
};

/// Whether the values of the `active` lanes are those of a row that begins with `first` for lane 0, each `step` more than the one before. They
/// are read in the pieces in which they were written, since a load that spans several recent stores stalls the processor.
template <bool all, class Base>
[[gnu::always_inline]] inline bool are_even(const Base* values, Base first, Base step, std::uint32_t active) {
    constexpr std::size_t bytes = 32, together = bytes / sizeof(Base);
    typedef Base Several __attribute__((vector_size(bytes)));
    Several number, differences{};
    for (std::size_t i = 0; i < together; ++i) number[i] = static_cast<Base>(i);
    Several expected = first + ((number & 1) != 0 ? step : Several{}) + ((number & 2) != 0 ? 2 * step : Several{}) +
                       ((number & 4) != 0 ? 4 * step : Several{});
    for (std::size_t lane = 0; lane < warp_size; lane += together) {
        Several these, bits;
        std::memcpy(&these, values + lane, sizeof these);
        std::memcpy(&bits, lane_bits<Base> + lane, sizeof bits);
        if constexpr (all) differences |= these ^ expected;
        else differences |= (bits & static_cast<Base>(active)) != 0 ? these ^ expected : Several{};
        expected += static_cast<Base>(together) * step;
    }
    Base any = 0;
    for (std::size_t i = 0; i < together; ++i) any |= differences[i];
    return any == 0;
}

template <class Base> [[gnu::always_inline]] inline Spacing spacing_of(const Base* from, std::int64_t offset) {
    using Difference = std::make_signed_t<Base>;
    constexpr auto mask = static_cast<std::uint64_t>(static_cast<Base>(-1));
    const auto step = static_cast<Base>(from[1] - from[0]);
    Spacing spacing{(from[0] + static_cast<std::uint64_t>(offset)) & mask,
                    static_cast<std::uint64_t>(std::int64_t{static_cast<Difference>(step)})};
    // Addresses of 32 bits that wrap around to 0 are not evenly spaced.
    spacing.is_even = spacing.last() <= mask && are_even<true>(from, from[0], step, all_lanes);
    return spacing;
}

/// The same of some lanes: `active`. A single lane has neighbors `size` bytes away.
template <class Base> [[gnu::noinline]] Spacing spacing_of(const Base* from, std::int64_t offset, std::uint32_t active, int size) {
    using Difference = std::make_signed_t<Base>;
    constexpr auto mask = static_cast<std::uint64_t>(static_cast<Base>(-1));
    const std::size_t first = first_lane(active);
    const auto last = static_cast<std::size_t>(std::bit_width(active)) - 1;
    auto step = static_cast<Difference>(size);
    if (const std::uint32_t others = active & (active - 1)) {
        // Most often the lanes are neighbors, and a division takes as long as all the rest.
        const auto lanes = static_cast<Difference>(first_lane(others) - first);
        const auto distance = static_cast<Difference>(from[first_lane(others)] - from[first]);
        step = std::has_single_bit(static_cast<Base>(lanes)) ? distance >> std::countr_zero(static_cast<Base>(lanes)) : distance / lanes;
    }
    Spacing spacing{(from[first] + static_cast<std::uint64_t>(offset)) & mask, static_cast<std::uint64_t>(std::int64_t{step}),
                    last - first};
    const auto of_lane_0 = static_cast<Base>(from[first] - static_cast<Base>(first) * static_cast<Base>(step));
    spacing.is_even = spacing.last() <= mask && are_even<false>(from, of_lane_0, static_cast<Base>(step), active);
    return spacing;
}

[[gnu::always_inline]] inline Spacing spacing_of(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access) {
    const std::uint32_t base = instruction.operand_at(access.base_operand);
    if (warp.active != all_lanes)
        return access.base_bytes == 8 ? spacing_of(values<std::uint64_t>(warp, base), access.offset, warp.active, access.bytes)
                                      : spacing_of(values<std::uint32_t>(warp, base), access.offset, warp.active, access.bytes);
    return access.base_bytes == 8 ? spacing_of(values<std::uint64_t>(warp, base), access.offset)
                                  : spacing_of(values<std::uint32_t>(warp, base), access.offset);
}

/// Writes the addresses of all lanes.
template <class Base> void write_addresses(Warp& warp, std::uint32_t base, std::int64_t offset) {
    constexpr auto mask = static_cast<std::uint64_t>(static_cast<Base>(-1));
    const Base* from = values<Base>(warp, base);
    std::uint64_t* to = warp.access.address.data();
    const auto added = static_cast<std::uint64_t>(offset);
    SIMT_INDEPENDENT_LANES
    for (int lane = 0; lane < warp_size; ++lane) to[lane] = (from[lane] + added) & mask;
}

/// Predicts the distance from an instruction's access at `address` to its next access: in the next block if blocks are short, or else in
/// this block.
std::uint64_t expected_step(Warp& warp, std::uint64_t address) {
    constexpr std::uint32_t few = 64;
    StridePrediction& prediction = warp.block->predictions[warp.access.program_counter % warp.block->predictions.size()];
    const std::uint64_t in_block = address - prediction.last;
    prediction.last = address;
    if (prediction.block != warp.block->number) {
        prediction.to_next_block = address - prediction.first;
        prediction.first = address;
        prediction.block = warp.block->number;
        prediction.accesses_of_last_block = prediction.accesses;
        prediction.accesses = 0;
    }
    const bool is_short = ++prediction.accesses <= few && prediction.accesses_of_last_block - 1 < few;
    return is_short ? prediction.to_next_block : in_block;
}

/// Prefetches the memory of a later access, and the watcher's state for it: most instructions go through memory in even steps. Where the
/// lanes are far apart, each access prefetches for one lane only, since other warps prefetch for the other lanes.
void fetch_ahead(Warp& warp, std::uint64_t address, std::uint64_t lane_step, const unsigned char* at, KnownRange& range) {
    constexpr std::uint64_t cache_line = 64, watched_line = 128;
    if (!range.ahead) range.ahead = expected_step(warp, address);
    std::uint64_t ahead = *range.ahead;
    const bool is_column = lane_step >= watched_line;
    if (is_column) ahead += warp.block->columns++ % warp_size * lane_step;
    const std::uint64_t next = reinterpret_cast<std::uintptr_t>(at) + ahead;
    __builtin_prefetch(reinterpret_cast<const void*>(next));
    __builtin_prefetch(reinterpret_cast<const void*>(is_column ? next ^ cache_line : next + cache_line));
    warp.block->watch.fetch_ahead(address + ahead);
}

/// Sets the place of an access of all lanes, or its `first` to null if the access has none. A place that is returned by value would be
/// copied in wider pieces than it was written in, for which the processor waits.
[[gnu::always_inline]] inline void set_even_place(Warp& warp, const MemoryAccess& access, const Spacing& spacing, KnownRange& range,
                                                  EvenPlace& place) {
    const bool is_store_to_one = access.operation == Operation::store && spacing.step == 0 && spacing.steps > 0;
    if (!spacing.is_even || is_store_to_one) return;
    const auto size = static_cast<std::uint64_t>(access.bytes);
    const std::uint64_t first = spacing.first, step = spacing.step, last = spacing.last();
    const bool descends = step >> 63 != 0;
    const std::uint64_t least = descends ? last : first, most = descends ? first : last;
    // All lanes lie between the first and the last.
    const bool is_near = step + farthest <= 2 * farthest && least <= most;
    if (!is_near || ((first | step) & (size - 1)) != 0) return;
    place.step = static_cast<std::ptrdiff_t>(step);
    place.space = access.space;
    if (place.space == ptx::StateSpace::generic && most < memory::shared_window) place.space = ptx::StateSpace::global;
    if (!range.holds(least, most, size)) {
        const bool is_shared = place.space == ptx::StateSpace::shared;
        if (!is_shared && place.space != ptx::StateSpace::global && place.space != ptx::StateSpace::constant) return;
        if (!(is_shared ? find_shared(warp, least, most, size, range) : find_global(warp, least, most, size, range))) return;
    }
    place.first = range.at + (least - range.begin);
    if (place.space == ptx::StateSpace::global) fetch_ahead(warp, least, descends ? -step : step, place.first, range);
    place.lanes = warp.active;
    place.first += first - least - first_lane(warp.active) * step;
}

}  // namespace

void find_addresses(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access) {
    warp.access.size = access.bytes;
    warp.access.program_counter = instruction.program_counter;
    warp.access.operation = access.operation;
    warp.access.warp = warp.index;
    const std::uint32_t base = instruction.operand_at(access.base_operand);
    if (access.base_bytes == 8) write_addresses<std::uint64_t>(warp, base, access.offset);
    else write_addresses<std::uint32_t>(warp, base, access.offset);
}

EvenPlace find_even_place(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, KnownRange& range) {
    EvenPlace place;
    warp.access.program_counter = instruction.program_counter;
    warp.access.operation = access.operation;
    set_even_place(warp, access, spacing_of(warp, instruction, access), range, place);
    return place;
}

EvenPlace find_even_place(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access) {
    EvenPlace place;
    if (warp.active != all_lanes && warp.block->watch.is_watching()) {
        find_addresses(warp, instruction, access);
        return place;
    }
    KnownRange range;
    const Spacing spacing = spacing_of(warp, instruction, access);
    warp.access.program_counter = instruction.program_counter;
    warp.access.operation = access.operation;
    set_even_place(warp, access, spacing, range, place);
    // An access that is not watched needs its place only.
    if (place && !warp.block->watch.is_watching()) return place;
    find_addresses(warp, instruction, access);
    warp.access.evenly_spaced = static_cast<bool>(place);
    warp.access.step = spacing.step;
    return place;
}

void note_even_access(Warp& warp, const MemoryAccess& access, const EvenPlace& place, std::uint32_t changed) {
    if (!warp.block->watch.is_watching()) return;
    LanePointers all;
    all.lanes = all_lanes;
    if (access.is_fused) note_fused_access(warp, access, place.space, all, changed);
    else note_plain_access(warp, access, place.space, all, changed);
}

}  // namespace simt::interpreter
