// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The rules are explained and their sources named in shared_service.hpp and global_rules.cpp. The limits are those of the tables of compute
// capabilities in the CUDA C Programming Guide: version 4.2, appendix F, for 1.x and 2.x; version 13.0 for 9.0.

#include <algorithm>
#include <limits>

#include "simt/counts.hpp"
#include "simt/machine.hpp"

namespace simt {

int Machine::concurrent_blocks(int block_threads, std::int64_t shared_bytes) const
{
    // Threads are allocated in whole warps.
    const int warp_threads = (block_threads + warp_size - 1) / warp_size * warp_size;
    std::int64_t blocks = multiprocessor_blocks;
    if (warp_threads > 0) blocks = std::min<std::int64_t>(blocks, multiprocessor_threads / warp_threads);
    if (shared_bytes > 0) blocks = std::min(blocks, multiprocessor_shared_bytes / shared_bytes);
    return static_cast<int>(std::max<std::int64_t>(1, blocks)) * multiprocessors;
}

const std::vector<Machine>& machines()
{
    // Never destroyed: the report names the machine after the program has ended.
    static const std::vector<Machine>& all = *new std::vector<Machine>{
        {.name = "sm_90",
         .description = "Hopper, compute capability 9.0 (H100, H200)",
         .shared = {.banks = 32,
                    .bank_width = 4,
                    .request_lanes = 32,
                    .words = SharedWords::multicast,
                    .wide = WideShared::merging_phases,
                    .extra_wavefronts_of_16_bytes = 0},
         .coalescing = Coalescing::distinct_lines,
         .load_line_bytes = 32,
         .store_line_bytes = 32,
         .line_request_lanes = 0,
         .partitions = 0,
         .partition_bytes = 0,
         .compute_major = 9,
         .compute_minor = 0,
         .multiprocessors = 132,
         .l2_bytes = 60 << 20,
         .max_block_threads = 1024,
         .max_shared_bytes = 227 << 10,
         .default_shared_bytes = 48 << 10,
         .multiprocessor_shared_bytes = 228 << 10,
         .multiprocessor_threads = 2048,
         .multiprocessor_blocks = 32},
        {.name = "fermi",
         .description = "Fermi, compute capability 2.0 (Tesla M2090)",
         .shared = {.banks = 32,
                    .bank_width = 4,
                    .request_lanes = 32,
                    .words = SharedWords::multicast,
                    .wide = WideShared::phases,
                    .extra_wavefronts_of_16_bytes = 1},
         .coalescing = Coalescing::distinct_lines,
         .load_line_bytes = 128,
         .store_line_bytes = 32,
         .line_request_lanes = 32,
         .partitions = 0,
         .partition_bytes = 0,
         .compute_major = 2,
         .compute_minor = 0,
         .multiprocessors = 16,
         .l2_bytes = 768 << 10,
         .max_block_threads = 1024,
         .max_shared_bytes = 48 << 10,
         .default_shared_bytes = 48 << 10,
         .multiprocessor_shared_bytes = 48 << 10,
         .multiprocessor_threads = 1536,
         .multiprocessor_blocks = 8},
        {.name = "gt200",
         .description = "GT200, compute capability 1.3 (GeForce GTX 280)",
         .shared = {.banks = 16,
                    .bank_width = 4,
                    .request_lanes = 16,
                    .words = SharedWords::one_broadcast,
                    .wide = WideShared::split_into_words,
                    .extra_wavefronts_of_16_bytes = 0},
         .coalescing = Coalescing::shrinking_segments,
         .load_line_bytes = 0,
         .store_line_bytes = 0,
         .line_request_lanes = 0,
         .partitions = 8,
         .partition_bytes = 256,
         .compute_major = 1,
         .compute_minor = 3,
         .multiprocessors = 30,
         .l2_bytes = 0,
         .max_block_threads = 512,
         .max_shared_bytes = 16 << 10,
         .default_shared_bytes = 16 << 10,
         .multiprocessor_shared_bytes = 16 << 10,
         .multiprocessor_threads = 1024,
         .multiprocessor_blocks = 8},
        {.name = "g80",
         .description = "G80, compute capability 1.0 (GeForce 8800 GTX)",
         .shared = {.banks = 16,
                    .bank_width = 4,
                    .request_lanes = 16,
                    .words = SharedWords::one_broadcast,
                    .wide = WideShared::split_into_words,
                    .extra_wavefronts_of_16_bytes = 0},
         .coalescing = Coalescing::strict_order,
         .load_line_bytes = 0,
         .store_line_bytes = 0,
         .line_request_lanes = 0,
         .partitions = 6,
         .partition_bytes = 256,
         .compute_major = 1,
         .compute_minor = 0,
         .multiprocessors = 16,
         .l2_bytes = 0,
         .max_block_threads = 512,
         .max_shared_bytes = 16 << 10,
         .default_shared_bytes = 16 << 10,
         .multiprocessor_shared_bytes = 16 << 10,
         .multiprocessor_threads = 768,
         .multiprocessor_blocks = 8},
    };
    return all;
}

namespace {

std::optional<Impossible> why_impossible_global(const Machine& machine)
{
    const auto is_line = [](int bytes) { return bytes >= 32 && bytes % 32 == 0; };
    if (machine.coalescing == Coalescing::distinct_lines) {
        if (!is_line(machine.load_line_bytes))
            return Impossible{"bytes of a line that is loaded", machine.load_line_bytes, "a multiple of 32"};
        if (!is_line(machine.store_line_bytes))
            return Impossible{"bytes of a line that is stored", machine.store_line_bytes, "a multiple of 32"};
        if (machine.line_request_lanes < 0 || machine.line_request_lanes > warp_size)
            return Impossible{"lanes of a global request", machine.line_request_lanes, "0 to 32"};
    }
    if (machine.partitions < 0) return Impossible{"partitions", machine.partitions, "0 or more"};
    if (machine.partitions > 0 && machine.partition_bytes < 1)
        return Impossible{"bytes of a partition", machine.partition_bytes, "1 or more"};
    return {};
}

std::optional<Impossible> why_impossible_size(const Machine& machine)
{
    const auto most = [](const char* what, int number, int limit, const char* of) {
        return number < 1 || number > limit ? std::optional(Impossible{what, number, of}) : std::nullopt;
    };
    constexpr int any = std::numeric_limits<int>::max();
    if (const auto why = most("multiprocessors", machine.multiprocessors, any, "1 or more")) return why;
    if (const auto why = most("blocks of a multiprocessor", machine.multiprocessor_blocks, any, "1 or more")) return why;
    if (const auto why = most("most threads of a block", machine.max_block_threads, machine.multiprocessor_threads,
                              "1 to the threads of a multiprocessor"))
        return why;
    if (const auto why = most("most shared memory of a block", machine.max_shared_bytes, machine.multiprocessor_shared_bytes,
                              "1 to the shared memory of a multiprocessor"))
        return why;
    return most("shared memory of a block without asking", machine.default_shared_bytes, machine.max_shared_bytes,
                "1 to the most shared memory of a block");
}

}  // namespace

std::optional<Impossible> why_impossible(const Machine& machine)
{
    if (const auto why = why_impossible(machine.shared)) return why;
    if (const auto why = why_impossible_global(machine)) return why;
    return why_impossible_size(machine);
}

std::string to_text(const Impossible& impossible)
{
    return std::string(impossible.what) + ": got " + std::to_string(impossible.given) + ", accepted: " + impossible.accepted;
}

const Machine* find_machine(std::string_view name)
{
    const auto found = std::ranges::find(machines(), name, &Machine::name);
    return found == machines().end() ? nullptr : &*found;
}

std::string machine_names()
{
    std::string names;
    for (const Machine& machine : machines()) names += (names.empty() ? "" : ", ") + machine.name;
    return names;
}

}  // namespace simt
