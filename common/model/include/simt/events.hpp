// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The stream of events of a running kernel, and the interface of its listeners. Counters, hazards and traces are listeners; none of
/// them knows how threads are run.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "simt/counts.hpp"

namespace simt {

/// How a machine does an atomic operation in shared memory: by an instruction for it, by an instruction that counts lanes (for an
/// addition of 1 whose result nobody reads), by comparing and swapping, or by a loop of loads and swaps.
enum class AtomicKind : std::uint8_t { native, counting, compare_and_swap, loop };

/// One warp-level memory instruction: the accesses that the active lanes of a warp make together.
struct WarpAccess {
    Space space;
    Operation operation;
    /// Program counter: the number of the instruction, which source_place() turns into its place in the source.
    std::uint32_t program_counter;
    /// Bytes that each lane accesses.
    int size;
    /// Bit i is set when lane i takes part.
    std::uint32_t active;
    /// Warp of the block, counted from 0.
    int warp;
    /// Address of each active lane. Shared addresses count from the start of the block's shared memory, local addresses
    /// from the start of the thread's local memory; global addresses are the model's device addresses (the same in every
    /// run, as far as alignment goes).
    alignas(64) std::array<std::uint64_t, warp_size> address;
    /// For stores: bit i is set when the store of lane i changed memory.
    std::uint32_t changed;
    /// For global and constant accesses: start of the allocation or variable that the first active lane's address lies in.
    std::uint64_t allocation;
    /// The addresses are those of rows of matrices (ldmatrix): groups of eight lanes are served one after another.
    bool matrix_rows = false;

    /// For atomic operations in shared memory.
    AtomicKind atomic = AtomicKind::native;
    /// For atomic operations: whether the result depends on the old value. An exchange whose result nobody reads needs no old value.
    bool needs_old = true;
    /// For textures and surfaces: how many lanes, side by side, make a request.
    int request_lanes = warp_size;
    /// For asynchronous copies: the addresses of the other side, if they are known, and whether the copy bypasses the L1.
    const std::array<std::uint64_t, warp_size>* other_side = nullptr;
    bool past_l1 = false;

    /// Set if all lanes take part and their addresses are known to be `step` bytes apart: lane i accesses address[0] + i × step.
    bool evenly_spaced = false;
    std::uint64_t step = 0;

    int active_lanes() const { return std::popcount(active); }
};

/// The configuration of a launch.
struct LaunchInfo {
    Extent grid, block;
    std::size_t dynamic_shared_bytes, static_shared_bytes = 0;
    /// The part of the L1 that the program wants for shared memory, in percent; -1 where it leaves that to the driver.
    int carveout = -1;

    /// The threadIdx of thread `number` of a block, counted with x fastest.
    Extent thread(int number) const {
        const auto n = static_cast<unsigned>(number);
        return {n % block.x, n / block.x % block.y, n / block.x / block.y};
    }
};

/// Hears the events of a launch in this order: `launch_begins`, then for each block `block_begins`, its accesses and
/// barriers, `block_ends`, and at last `launch_ends`. Accesses of one warp come in program order; barriers separate
/// the intervals of a block. Blocks that wait for one another take turns between their `block_begins` and `block_ends`.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void launch_begins(const LaunchInfo&) {}
    virtual void block_begins(const Extent& /*block_index*/) {}
    /// The following events come from the block with this number, counted with x fastest.
    virtual void block_runs(std::uint64_t /*number*/) {}
    virtual void warp_access(const WarpAccess&) {}
    /// A bulk copy loads these bytes of global memory, or stores or reduces there. @param requests 0 for a further stretch of one copy
    virtual void bulk_copy(std::uint64_t /*address*/, std::uint64_t /*bytes*/, bool /*loads*/, std::uint64_t /*requests*/) {}
    /// This many lanes access shared memory across a cluster, or asynchronously: no count has these accesses.
    virtual void cluster_access(int /*lanes*/) {}
    /// All threads of the block have reached a barrier.
    virtual void block_barrier() {}
    /// The block has reached a barrier of a cluster of several blocks, and then tells its block_barrier().
    virtual void cluster_barrier() {}
    /// A warp sleeps, gives up waiting at an mbarrier, or makes so many fences, prefetches, readings of the clock or loads that order others
    /// that it waits.
    virtual void time_passes() {}
    /// A warp has ended after so many instructions of the text. The call of a printf by a lane counts as a hundred.
    virtual void executed(std::uint64_t /*instructions*/) {}
    /// Some warps of the block have reached a barrier, or the last thread has arrived at an mbarrier.
    virtual void part_barrier() {}
    /// The given lanes of a warp have synchronized with one another.
    virtual void warp_barrier(int /*warp*/, std::uint32_t /*lanes*/) {}
    virtual void block_ends() {}
    virtual void launch_ends() {}
};

}  // namespace simt
