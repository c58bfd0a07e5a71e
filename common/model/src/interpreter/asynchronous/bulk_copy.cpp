// cp.async.bulk and cp.reduce.async.bulk: a range of bytes between global and shared memory, or between blocks of a cluster.

#include <string>

#include "interpreter/asynchronous/bulk.hpp"
#include "interpreter/decode/opcodes.hpp"
#include "interpreter/memory/atomic_update.hpp"

namespace simt::interpreter {

namespace {

constexpr std::uint64_t unit = 16;

struct BulkOperands {
    DestinationOperands shared;
    /// The other end of the copy: the source of a copy to shared memory, or the destination in global memory.
    LaneAddress other;
    std::uint32_t bytes = no_operand;
    bool reduces = false;
    Update update = Update::add;
    ptx::Type type = ptx::Type::none;
};

void move_bytes(const BulkOperands& operands, std::span<unsigned char> to, std::span<const unsigned char> from) {
    if (!operands.reduces) return copy_bytes(to, from);
    const auto element = static_cast<std::uint64_t>(ptx::bytes_of(operands.type));
    for (std::uint64_t at = 0; at < from.size(); at += element) {
        std::uint64_t value = 0;
        std::memcpy(&value, part(from, at, element).data(), element);
        update_element(operands.update, operands.type, part(to, at, element).data(), value);
    }
}

/// The size of a lane's copy; 0 if there is nothing to do.
std::uint64_t size_of(Warp& warp, std::size_t lane, const DecodedInstruction& instruction) {
    const std::uint64_t bytes = lane_value(warp, details<BulkOperands>(instruction).bytes, lane, 4);
    if (bytes % unit != 0)
        throw LaunchStopped(error_misaligned, warp.launch->message_of(warp, lane, MessageCode::bulk_copy_size, {{"bytes", bytes}}));
    begin_access(warp, instruction, Operation::load, static_cast<int>(bytes));
    return bytes;
}

Operation written_as(const BulkOperands& operands) { return operands.reduces ? Operation::atomic : Operation::store; }

void copy_to_shared(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<BulkOperands>(instruction);
    for_active_lanes(warp, [&](std::size_t lane) {
        const std::uint64_t bytes = size_of(warp, lane, instruction);
        if (bytes == 0) return;
        const std::uint64_t address = operands.other.of(warp, lane);
        const Issuer issuer(warp, lane, instruction);
        std::span<const unsigned char> from;
        std::uint32_t read = 0;
        if (operands.other.space == ptx::StateSpace::global) {
            from = find_global(warp, lane, address, bytes, unit);
            if (from.empty()) return;
            note_global_range(*warp.block, warp.index, lane, instruction.program_counter, Operation::load, address, bytes);
            warp.block->watch.count_bulk_copy(instruction.program_counter, address, bytes, true);
        } else {
            const SharedPlace place = find_shared(warp, lane, address, operands.other.space, bytes, unit);
            if (!place) return;
            from = place.bytes;
            // A copy within the block's own shared memory is reported nowhere else.
            if (place.block == warp.block) warp.block->watch.tell_cluster_access(1);
            read = begin_shared_range(*warp.block, warp.index, lane, instruction.program_counter, Operation::load, place.offset, bytes);
        }
        warp.access.operation = Operation::store;
        for (const Destination& destination : find_destinations(warp, lane, operands.shared, bytes, unit)) {
            const std::uint32_t write = begin_write(issuer, destination, written_as(operands), bytes);
            Asynchronous::of(*destination.to.block)
                .add_to_barrier(destination.barrier.offset, [issuer, destination, from, bytes, read, write, &operands](Warp&) {
                    move_bytes(operands, destination.to.bytes, from);
                    issuer.block->watch.end_accesses(read);
                    if (issuer.block != destination.to.block) issuer.block->watch.release(issuer.warp, watched_cluster);
                    end_write(issuer, destination, write, bytes);
                });
        }
    });
    warp.progress = true;
}

void copy_to_global(Warp& warp, const DecodedInstruction& instruction) {
    const auto& operands = details<BulkOperands>(instruction);
    for_active_lanes(warp, [&](std::size_t lane) {
        const std::uint64_t bytes = size_of(warp, lane, instruction);
        if (bytes == 0) return;
        const SharedPlace from = find_shared(warp, lane, operands.shared.to.of(warp, lane), operands.shared.to.space, bytes, unit);
        warp.access.operation = written_as(operands);
        const std::uint64_t address = operands.other.of(warp, lane);
        const std::span<unsigned char> to = from ? find_global(warp, lane, address, bytes, unit) : std::span<unsigned char>();
        if (to.empty()) return;
        const std::uint32_t read =
            begin_shared_range(*warp.block, warp.index, lane, instruction.program_counter, Operation::load, from.offset, bytes);
        warp.block->watch.count_bulk_copy(instruction.program_counter, address, bytes, false);
        Asynchronous::of(*warp.block)
            .add_to_group(warp.thread_of(lane), [issuer = Issuer(warp, lane, instruction), from, to, address, bytes, read,
                                                 &operands](Warp&) {
                move_bytes(operands, to, from.bytes);
                issuer.block->watch.end_accesses(read);
                note_global_range(*issuer.block, issuer.warp, issuer.lane, issuer.program_counter, written_as(operands), address, bytes);
            });
    });
    warp.progress = true;
}

void commit_group(Warp& warp, const DecodedInstruction&) {
    for_active_lanes(warp, [&](std::size_t lane) { Asynchronous::of(*warp.block).commit_bulk(warp.thread_of(lane)); });
}

void wait_for_groups(Warp& warp, const DecodedInstruction& instruction) {
    if (!warp.block->asynchronous) return;
    for_active_lanes(warp, [&](std::size_t lane) { Asynchronous::of(*warp.block).wait_for_bulk(warp, lane, instruction.immediate); });
}

void decode_copy(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (instruction.has("cp_mask")) decoder.refuse(instruction);
    BulkOperands operands;
    operands.reduces = instruction.has("reduce");
    if (operands.reduces) {
        operands.type = instruction.type();
        if (!find_update(instruction, operands.update) || ptx::bytes_of(operands.type) < 2) decoder.refuse(instruction);
    }
    const Direction direction = direction_of(instruction);
    const LaneAddress to = lane_address(decoder, instruction.operands.at(0), direction.to);
    const LaneAddress from = lane_address(decoder, instruction.operands.at(1), direction.from);
    operands.bytes = decoder.slot(instruction.operands.at(2), ptx::Type::u32);
    const bool to_shared = direction.to == ptx::StateSpace::shared;
    operands.shared.to = to_shared ? to : from;
    operands.other = to_shared ? from : to;
    if (to_shared) {
        operands.shared.barrier = lane_address(decoder, instruction.operands.at(3), ptx::StateSpace::shared);
        if (instruction.has("multicast::cluster")) operands.shared.multicast = decoder.slot(instruction.operands.at(4), ptx::Type::u16);
    }
    decoder.keep(out, operands);
    out.execute = to_shared ? copy_to_shared : copy_to_global;
}

}  // namespace

Direction direction_of(const ptx::Instruction& instruction) {
    Direction direction;
    bool second = false;
    for (const std::string& modifier : instruction.modifiers) {
        const bool shared = modifier == "shared::cluster" || modifier == "shared::cta";
        if (!shared && modifier != "global") continue;
        (second ? direction.from : direction.to) = shared ? ptx::StateSpace::shared : ptx::StateSpace::global;
        second = true;
    }
    return direction;
}

std::vector<Destination> find_destinations(Warp& warp, std::size_t lane, const DestinationOperands& operands, std::uint64_t bytes,
                                           std::uint64_t alignment) {
    Destination one;
    one.to = find_shared(warp, lane, operands.to.of(warp, lane), operands.to.space, bytes, alignment);
    if (!one.to) return {};
    const auto& cluster = warp.block->cluster;
    std::uint64_t ranks = 1;
    if (operands.multicast != no_operand) ranks = lane_value(warp, operands.multicast, lane, 2);
    std::vector<Destination> all;
    for (std::size_t rank = 0; rank < 16; ++rank) {
        if (!(ranks >> rank & 1)) continue;
        Destination destination = one;
        std::uint64_t barrier = operands.barrier.of(warp, lane);
        if (operands.multicast != no_operand) {
            if (rank >= cluster.size())
                throw LaunchStopped(error_illegal_instruction, warp.launch->message_of(warp, lane, MessageCode::copy_to_absent_block,
                                                                                       {{"rank", rank}, {"blocks", cluster.size()}}));
            destination.to.block = cluster[rank];
            destination.to.bytes = part(std::span(cluster[rank]->shared_memory), one.to.offset, bytes);
            barrier = barrier % memory::shared_window_bytes + (rank + 1) * memory::shared_window_bytes;
        }
        destination.barrier = find_barrier(warp, lane, barrier, operands.barrier.space);
        if (!destination.barrier) continue;
        if (destination.to.block != warp.block) warp.block->watch.tell_cluster_access(1);
        all.push_back(destination);
    }
    return all;
}

/// The warp to which accesses of a block's shared memory are attributed: the first one for a thread of another block.
static int warp_in(const Block& block, const Issuer& issuer) { return issuer.block == &block ? issuer.warp : 0; }

std::uint32_t begin_write(const Issuer& issuer, const Destination& destination, Operation operation, std::uint64_t bytes) {
    Block& block = *destination.to.block;
    const bool own = issuer.block == &block;
    // A copy by a thread of another block is ordered by the cluster's synchronization.
    if (!own) block.watch.acquire(warp_in(block, issuer), watched_cluster);
    return begin_shared_range(block, warp_in(block, issuer), own ? issuer.lane : 0, issuer.program_counter, operation,
                              destination.to.offset, bytes);
}

void end_write(const Issuer& issuer, const Destination& destination, std::uint32_t write, std::uint64_t bytes) {
    Block& block = *destination.to.block;
    block.watch.end_accesses(write);
    block.watch.release(warp_in(block, issuer), watched_barrier(destination.barrier.offset));
    complete_transactions(destination.barrier, bytes);
}

bool decode_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (!instruction.has("bulk") || instruction.has("tensor")) return false;
    if (instruction.has("commit_group")) {
        out.execute = commit_group;
    } else if (instruction.has("wait_group")) {
        out.immediate = static_cast<std::uint64_t>(instruction.operands.at(0).integer);
        out.execute = wait_for_groups;
    } else if (instruction.has("prefetch")) {
        out.execute = take_time;
    } else {
        decode_copy(decoder, instruction, out);
    }
    return true;
}

}  // namespace simt::interpreter
