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

/// The arrival of `bytes` bytes in a span of `span` bytes of shared memory.
struct Arrival { std::uint64_t span = 0, bytes = 0; };

/// Tells the watcher and the barrier of an arrival.
void arrive_with(const Issuer& issuer, const Destination& destination, Operation operation, Arrival arrival, const Warp& waiter);

/// Calls `visit(lane)` for each active lane.
template <class Visit> void for_active_lanes(const Warp& warp, Visit&& visit) {
    for (const std::size_t lane : lanes_in(warp.active)) visit(lane);
}

/// Spaces of the destination and of the source that a bulk copy names.
struct Direction { ptx::StateSpace to = ptx::StateSpace::generic, from = ptx::StateSpace::generic; };
Direction direction_of(const ptx::Instruction& instruction);

}  // namespace simt::interpreter
