// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The machines whose memory rules the model applies. A machine is data; all of them stand in machines.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/shared_memory.hpp"

namespace simt {

/// How the global-memory accesses of a warp become transactions.
enum class Coalescing : std::uint8_t {
    /// One transaction for each distinct line that a request touches.
    distinct_lines,
    /// A half-warp moves segments one by one, each halved while only one half is used.
    shrinking_segments,
    /// A half-warp moves one segment if each lane accesses the word of its own position, else a transaction for each lane.
    strict_order,
};

struct Resources;

/// The memory rules and limits of one GPU generation.
struct Machine {
    /// The name given to `--machine`.
    std::string name;
    /// One line for people.
    std::string description;
    /// Whether its counts were compared with the counters of a GPU.
    bool is_checked;

    SharedMemory shared;

    Coalescing coalescing;
    /// Bytes of one line, the unit that a global load moves (`Coalescing::distinct_lines` alone).
    int load_line_bytes;
    /// Bytes of one line, the unit that a global store moves (`Coalescing::distinct_lines` alone).
    int store_line_bytes;
    /// Lanes that a global access of 4 bytes serves together; half as many for 8, a quarter for 16 bytes. 0 when a warp
    /// is one request whatever the size.
    int line_request_lanes;

    /// Partitions of device memory whose use by concurrent blocks is watched, or 0. Consecutive stripes go to consecutive partitions.
    int partitions;
    /// Bytes of a stripe, after which the next partition begins.
    int partition_bytes;

    /// Compute capability.
    int compute_major, compute_minor;
    int multiprocessors;
    int l2_bytes;
    /// Most threads of a block.
    int max_block_threads;
    /// Most bytes of shared memory of a block if the program asks for more than `default_shared_bytes`.
    int max_shared_bytes;
    /// Most bytes of shared memory of a block without asking.
    int default_shared_bytes;
    /// Most bytes of shared memory, threads and blocks of one multiprocessor.
    int multiprocessor_shared_bytes, multiprocessor_threads, multiprocessor_blocks;

    /// Blocks of this shape that the whole GPU holds at a time, by threads, shared memory and the limit of blocks.
    /// Registers are not modeled. At least 1.
    int concurrent_blocks(int block_threads, std::int64_t shared_bytes) const;

    /// The blocks and warps of `resources`, by registers too, on a machine of capability 7.5 or later.
    void fill_occupancy(Resources& resources, int block_threads, std::int64_t shared_bytes) const;

    bool operator==(const Machine&) const = default;
};

/// All machines, the default first.
const std::vector<Machine>& machines();

/// Returns the value that makes a machine impossible, if there is one. Each of machines() is possible. Ask this of any other machine
/// before its rules are applied.
std::optional<Impossible> why_impossible(const Machine& machine);

/// In one line: the name of the value, the number given, and the accepted ones.
std::string to_text(const Impossible& impossible);

/// The machine called `name`, or null.
const Machine* find_machine(std::string_view name);

/// The names of all machines, separated by ", ".
std::string machine_names();

}  // namespace simt
