// The common parts of bulk copies, which one thread issues.
#pragma once

#include "interpreter/asynchronous/asynchronous.hpp"
#include "interpreter/asynchronous/mbarrier.hpp"

namespace simt::interpreter {

/// The thread that issued a copy.
struct Issuer {
    Block* block;
    int warp, lane;
    std::uint32_t program_counter;

    Issuer(const Warp& of, int of_lane, const DecodedInstruction& instruction)
        : block(of.block), warp(of.index), lane(of_lane), program_counter(instruction.program_counter) {}
};

/// The destination of a copy in shared memory, and the barrier in the same block that counts its bytes.
struct Destination { SharedPlace to, barrier; };

/// Operands that name destinations: `multicast` is a mask of ranks in the cluster, or no operand.
struct DestinationOperands {
    LaneAddress to, barrier;
    std::uint32_t multicast = no_operand;
};

/// The destinations of a lane's copy of `bytes` bytes; none after a hazard.
std::vector<Destination> find_destinations(Warp& warp, std::size_t lane, const DestinationOperands& operands, std::uint64_t bytes,
                                           std::uint64_t alignment);

/// Tells the watcher that a thread begins to write `bytes` bytes. Returns the number that end_write() takes.
std::uint32_t begin_write(const Issuer& issuer, const Destination& destination, Operation operation, std::uint64_t bytes);
/// Tells the watcher that they are written, and the barrier that `bytes` bytes have arrived.
void end_write(const Issuer& issuer, const Destination& destination, std::uint32_t write, std::uint64_t bytes);

/// Calls `visit(lane)` for each active lane.
template <class Visit> void for_active_lanes(const Warp& warp, Visit&& visit) {
    for (const std::size_t lane : lanes_in(warp.active)) visit(lane);
}

/// Spaces of the destination and of the source that a bulk copy names.
struct Direction { ptx::StateSpace to = ptx::StateSpace::generic, from = ptx::StateSpace::generic; };
Direction direction_of(const ptx::Instruction& instruction);

}  // namespace simt::interpreter
