// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The machines whose memory rules the model applies. A machine is data; all of them stand in machines.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simt {

/// Which lanes of a shared-memory request share a step when they want the same word.
enum class SharedWords : std::uint8_t {
    /// Any number of words of different banks, each for any set of lanes.
    multicast,
    /// One word for any set of lanes; of every other bank, one lane's word.
    one_broadcast,
};

/// How a shared-memory access of more than one bank's width is served.
enum class WideShared : std::uint8_t {
    /// In phases of so many lanes that their words could fill the banks once: half-warps for 8 bytes, quarter-warps for
    /// 16 on a machine of 32 banks.
    phases,
    /// As `phases`; a load merges two neighboring phases where paired lanes read the same address.
    merging_phases,
    /// As one request for each word of a lane.
    split_into_words,
};

/// How the global-memory accesses of a warp become transactions.
enum class Coalescing : std::uint8_t {
    /// One transaction for each distinct line that a request touches.
    distinct_lines,
    /// A half-warp takes segments one by one, each shrunk to the half that is used.
    shrinking_segments,
    /// A half-warp takes one segment if each lane accesses the word of its own position, else a transaction a lane.
    strict_order,
};

/// The memory rules and limits of one GPU generation.
struct Machine {
    /// The name given to `--machine`.
    std::string name;
    /// One line for people.
    std::string description;

    /// Banks of shared memory.
    int banks;
    /// Bytes of one bank's word.
    int bank_width;
    /// Lanes of one shared-memory request: the warp, or the half-warp.
    int shared_request_lanes;
    SharedWords shared_words;
    WideShared wide_shared;
    /// Wavefronts that each phase of a 16-byte shared access takes beyond the rule of the banks.
    int extra_wavefronts_of_16_bytes;

    Coalescing coalescing;
    /// Bytes of one line, the unit that a global load moves (`Coalescing::distinct_lines` alone).
    int load_line_bytes;
    /// Bytes of one line, the unit that a global store moves (`Coalescing::distinct_lines` alone).
    int store_line_bytes;
    /// Lanes that a global access of 4 bytes serves together; half as many for 8, a quarter for 16 bytes. 0 when a warp
    /// is one request whatever the size.
    int line_request_lanes;

    /// Partitions of device memory whose use by concurrent blocks is watched, or 0. Addresses go round them.
    int partitions;
    /// Bytes after which the next partition begins.
    int partition_bytes;

    /// Compute capability.
    int compute_major, compute_minor;
    int multiprocessors;
    int l2_bytes;
    /// Most threads of a block.
    int max_block_threads;
    /// Most bytes of shared memory of a block, where a program asks for more than `default_shared_bytes`.
    int max_shared_bytes;
    /// Most bytes of shared memory of a block without asking.
    int default_shared_bytes;
    /// Most bytes of shared memory, threads and blocks of one multiprocessor.
    int multiprocessor_shared_bytes, multiprocessor_threads, multiprocessor_blocks;

    /// Blocks of this shape that the whole GPU holds at a time, by threads, shared memory and the limit of blocks.
    /// Registers are not modeled. At least 1.
    int concurrent_blocks(int block_threads, std::int64_t shared_bytes) const;

    bool operator==(const Machine&) const = default;
};

/// All machines, the default first.
const std::vector<Machine>& machines();

/// The machine called `name`, or null.
const Machine* find_machine(std::string_view name);

/// The names of all machines, separated by ", ".
std::string machine_names();

}  // namespace simt
