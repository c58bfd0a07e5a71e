// cp.async: each thread copies up to 16 bytes from global to shared memory.

#include <algorithm>
#include <bit>

#include "interpreter/asynchronous/asynchronous.hpp"
#include "interpreter/asynchronous/mbarrier.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

struct CopyOperands {
    LaneAddress to, from;
    int bytes = 16;
    /// The register with the number of bytes that are read (the others become zeros), or with a predicate under which none is read.
    std::uint32_t from_bytes = no_operand, ignore = no_operand;
    bool ignore_negated = false;
    /// Whether the data bypass the L1 (`cg`).
    bool past_l1 = false;
};

using Addresses = std::array<std::uint64_t, warp_size>;

/// The source address of lanes whose copy only writes zeros: no place in memory.
constexpr std::uint64_t place_of_zeros = std::uint64_t{1} << 63;

/// The number of bytes that each lane reads.
using Sizes = std::array<std::uint8_t, warp_size>;

Sizes find_sizes(Warp& warp, const CopyOperands& operands) {
    Sizes sizes;
    sizes.fill(static_cast<std::uint8_t>(operands.bytes));
    if (operands.ignore != no_operand) {
        const std::uint32_t mask = predicate(warp, operands.ignore), ignored = operands.ignore_negated ? ~mask : mask;
        for (std::size_t lane = 0; lane < warp_size; ++lane)
            if (ignored >> lane & 1) sizes[lane] = 0;
    }
    if (operands.from_bytes != no_operand) {
        const std::uint32_t* bytes = values<std::uint32_t>(warp, operands.from_bytes);
        for (std::size_t lane = 0; lane < warp_size; ++lane)
            sizes[lane] = static_cast<std::uint8_t>(std::min(bytes[lane], static_cast<std::uint32_t>(operands.bytes)));
    }
    return sizes;
}

/// Fills in the addresses of `lanes` from one operand.
void find_lane_addresses(const Warp& warp, const LaneAddress& operand, std::uint32_t lanes, Addresses& addresses) {
    for (const std::size_t lane : lanes_in(lanes)) {
        addresses[lane] = operand.of(warp, lane);
    }
}

/// Fills `copy.from` for the lanes that read whole elements, and tells the watcher. Returns the lanes that may go on.
std::uint32_t find_sources(Warp& warp, const CopyOperands& operands, std::uint32_t lanes, ThreadCopy& copy) {
    if (lanes == 0) return 0;
    find_lane_addresses(warp, operands.from, lanes, warp.access.address);
    const LanePointers from = check_global(warp, lanes);
    for (const std::size_t lane : lanes_in(from.lanes)) {
        copy.from[lane] = {from.at[lane], static_cast<std::size_t>(operands.bytes)};
    }
    WarpAccess access = warp.access;
    access.space = Space::global;
    access.operation = Operation::async_copy;
    access.active = from.lanes;
    access.changed = 0;
    if (from.lanes) warp.block->watch.uncounted_access(access);
    return from.lanes;
}

/// The same for a lane that reads only a part of its element.
std::uint32_t find_part(Warp& warp, const DecodedInstruction& instruction, const CopyOperands& operands, std::size_t lane, int bytes,
                        ThreadCopy& copy) {
    begin_access(warp, instruction, Operation::load, bytes);
    const std::uint64_t address = operands.from.of(warp, lane), size = static_cast<std::uint64_t>(bytes);
    copy.from[lane] = find_global(warp, lane, address, size, static_cast<std::uint64_t>(operands.bytes));
    if (copy.from[lane].empty()) return 0;
    note_global_range(*warp.block, warp.index, lane, instruction.program_counter, Operation::load, address, size);
    return 1u << lane;
}

/// Counts one side of a copy.
void count_side(Warp& warp, const CopyOperands& operands, Space space, std::uint32_t lanes, const Addresses& addresses,
                const Addresses& other_side) {
    if (lanes == 0) return;
    WarpAccess access = warp.access;
    access.space = space;
    access.operation = Operation::async_copy;
    access.size = operands.bytes;
    access.active = lanes;
    access.changed = 0;
    access.address = addresses;
    access.evenly_spaced = false;
    access.other_side = &other_side;
    access.past_l1 = operands.past_l1;
    warp.block->watch.count_only(access);
}

/// Fills `copy.to` for the lanes that may go on.
void find_destinations(Warp& warp, const DecodedInstruction& instruction, const CopyOperands& operands, ThreadCopy& copy) {
    begin_access(warp, instruction, Operation::store, operands.bytes);
    find_lane_addresses(warp, operands.to, copy.lanes, warp.access.address);
    const LanePointers to = check_shared(warp, copy.lanes);
    copy.lanes = to.lanes;
    for (const std::size_t lane : lanes_in(to.lanes)) {
        copy.to[lane] = static_cast<std::uint32_t>(warp.access.address[lane]);
    }
}

void copy_lanes(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<CopyOperands>(instruction);
    ThreadCopy copy;
    copy.bytes = operands.bytes;
    copy.program_counter = instruction.program_counter;
    const Sizes sizes = find_sizes(warp, operands);
    std::uint32_t whole = 0, parts = 0;
    for (const std::size_t lane : lanes_in(warp.active)) {
        if (sizes[lane] == operands.bytes) whole |= 1u << lane;
        else if (sizes[lane] > 0) parts |= 1u << lane;
    }
    const std::uint32_t zeros = warp.active & ~whole & ~parts;
    begin_access(warp, instruction, Operation::load, operands.bytes);
    std::uint32_t reading = find_sources(warp, operands, whole, copy);
    for (const std::size_t lane : lanes_in(parts)) {
        const std::uint64_t allocation = warp.access.allocation;
        reading |= find_part(warp, instruction, operands, lane, sizes[lane], copy);
        if (first_lane(reading) < lane) warp.access.allocation = allocation;
    }
    Addresses from, to;
    find_lane_addresses(warp, operands.from, reading, from);
    find_lane_addresses(warp, operands.to, warp.active, to);
    count_side(warp, operands, Space::global, reading, from, to);
    copy.lanes = reading | zeros;
    find_destinations(warp, instruction, operands, copy);
    for (const std::size_t lane : lanes_in(zeros)) {
        from[lane] = place_of_zeros | to[lane];
    }
    count_side(warp, operands, Space::shared, copy.lanes, warp.access.address, from);
    if (copy.lanes) Asynchronous::of(*warp.block).add(warp, copy);
}

void commit_group(Warp& warp, const DecodedInstruction&) { Asynchronous::of(*warp.block).commit(warp); }
void wait_for_groups(Warp& warp, const DecodedInstruction& instruction) {
    Asynchronous::of(*warp.block).wait_for_groups(warp, instruction.immediate);
}
void wait_for_all(Warp& warp, const DecodedInstruction&) { Asynchronous::of(*warp.block).wait_for_all(warp); }

struct ArrivalOperands {
    LaneAddress barrier;
    /// Whether the arrival is one of those that the barrier expects.
    bool is_expected = false;
};

/// Makes the copies of `lanes` with numbers below `number`, and lets the lanes arrive.
void arrive_now(Warp& warp, const SharedPlace& place, std::uint32_t lanes, std::uint64_t number) {
    Asynchronous::of(*warp.block).complete_before(warp, lanes, number);
    warp.block->watch.release(warp.index, watched_barrier(place.offset));
    Mbarrier barrier = Mbarrier::load(place.bytes);
    if (!barrier.valid) return;
    const auto arrivals = static_cast<std::uint32_t>(std::popcount(lanes));
    if (barrier.pending < arrivals)
        throw LaunchStopped(error_illegal_instruction, warp.launch->message_of(warp, first_lane(lanes), MessageCode::too_many_copies_arrive,
                                                                               {{"pending", barrier.pending}, {"count", arrivals}}));
    barrier.pending -= arrivals;
    barrier.settle();
    barrier.store(place.bytes);
}

/// Keeps the barrier's phase from completing before the copies that the lanes have issued so far.
void arrive_after_copies(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<ArrivalOperands>(instruction);
    begin_access(warp, instruction, Operation::atomic, static_cast<int>(Mbarrier::bytes));
    Asynchronous& own = Asynchronous::of(*warp.block);
    const std::uint64_t number = own.next_number(warp.index);
    for (std::uint32_t rest = warp.active; rest;) {
        const std::size_t first = first_lane(rest);
        const std::uint64_t address = operands.barrier.of(warp, first);
        std::uint32_t lanes = 0;
        for (const std::size_t lane : lanes_in(rest))
            if (operands.barrier.of(warp, lane) == address) lanes |= 1u << lane;
        rest &= ~lanes;
        const SharedPlace place = find_barrier(warp, first, address, operands.barrier.space);
        if (!place || place.block != warp.block) continue;
        if (!operands.is_expected) {
            Mbarrier barrier = Mbarrier::load(place.bytes);
            barrier.pending += static_cast<std::uint32_t>(std::popcount(lanes));
            barrier.store(place.bytes);
        }
        own.add_to_barrier(place.offset, [&warp, place, lanes, number](Warp&) { arrive_now(warp, place, lanes, number); });
    }
    warp.progress = true;
}

void decode_copy(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    CopyOperands operands;
    operands.to = lane_address(decoder, instruction.operands.at(0), ptx::StateSpace::shared);
    operands.from = lane_address(decoder, instruction.operands.at(1), ptx::StateSpace::global);
    operands.bytes = static_cast<int>(instruction.operands.at(2).integer);
    if (operands.bytes != 4 && operands.bytes != 8 && operands.bytes != 16) decoder.refuse(instruction, "size");
    const std::size_t last = instruction.operands.size() - (instruction.has("L2::cache_hint") ? 1 : 0);
    if (last > 3) {
        const ptx::Operand& operand = instruction.operands.at(3);
        if (decoder.register_bytes(operand, ptx::Type::u32) == 0) {
            operands.ignore = decoder.slot(operand, ptx::Type::pred);
            operands.ignore_negated = operand.negated;
        } else {
            operands.from_bytes = decoder.slot(operand, ptx::Type::u32);
        }
    }
    operands.past_l1 = instruction.has("cg");
    decoder.keep(out, operands);
    out.execute = copy_lanes;
}

}  // namespace

bool decode_thread_copy(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("async") || instruction.has("bulk") || instruction.has("reduce")) return false;
    if (instruction.has("commit_group")) {
        out.execute = commit_group;
    } else if (instruction.has("wait_group")) {
        out.immediate = static_cast<std::uint64_t>(instruction.operands.at(0).integer);
        out.execute = wait_for_groups;
    } else if (instruction.has("wait_all")) {
        out.execute = wait_for_all;
    } else if (instruction.has("arrive")) {
        ArrivalOperands operands;
        operands.barrier = lane_address(decoder, instruction.operands.at(0), space_of(instruction));
        operands.is_expected = instruction.has("noinc");
        decoder.keep(out, operands);
        out.execute = arrive_after_copies;
    } else {
        decode_copy(decoder, instruction, out);
    }
    return true;
}

}  // namespace simt::interpreter
