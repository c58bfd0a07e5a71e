// The rules are explained and their sources named in shared_service.hpp and global_rules.cpp. The limits are those of the tables of compute
// capabilities in the CUDA C Programming Guide: version 4.2, appendix F, for 1.x and 2.x; version 13.0 for 7.5 and later. The numbers of
// multiprocessors and the sizes of the L2 are those of NVIDIA's data sheets.

#include <algorithm>
#include <limits>
#include <utility>

#include "simt/counts.hpp"
#include "simt/machine.hpp"

namespace simt {

int Machine::concurrent_blocks(int block_threads, std::int64_t shared_bytes) const {
    // Threads are allocated in whole warps.
    const int warp_threads = (block_threads + warp_size - 1) / warp_size * warp_size;
    std::int64_t blocks = multiprocessor_blocks;
    if (warp_threads > 0) blocks = std::min<std::int64_t>(blocks, multiprocessor_threads / warp_threads);
    if (shared_bytes > 0) blocks = std::min(blocks, multiprocessor_shared_bytes / shared_bytes);
    return static_cast<int>(std::max<std::int64_t>(1, blocks)) * multiprocessors;
}

void Machine::fill_occupancy(Resources& resources, int block_threads, std::int64_t shared_bytes) const {
    // The units in which registers and shared memory are given out, by NVIDIA's cuda_occupancy.h.
    constexpr int registers_of_quarter = 65536 / 4, register_unit = 256;
    const int shared_unit = compute_major >= 8 ? 128 : 256;
    const auto in_units = [](std::int64_t number, std::int64_t unit) { return (number + unit - 1) / unit * unit; };
    const auto warps = static_cast<int>(in_units(block_threads, warp_size)) / warp_size;
    const std::int64_t reserved = multiprocessor_shared_bytes - max_shared_bytes;
    const std::int64_t shared_taken = in_units(shared_bytes + reserved, shared_unit),
                       registers = in_units(resources.registers * warp_size, register_unit);
    std::vector<std::pair<const char*, std::int64_t>> limits{{"threads", multiprocessor_threads / warp_size / warps},
                                                             {"blocks", multiprocessor_blocks}};
    if (registers > 0) limits.emplace_back("registers", registers_of_quarter / registers * 4 / warps);
    if (shared_taken > 0) limits.emplace_back("shared memory", multiprocessor_shared_bytes / shared_taken);
    resources.blocks = static_cast<int>(std::ranges::min(limits, {}, [](const auto& each) { return each.second; }).second);
    resources.warps = resources.blocks * warps;
    resources.most_warps = multiprocessor_threads / warp_size;
    // The threads alone limit a full multiprocessor, even if other limits are as low.
    if (resources.warps == resources.most_warps) limits.resize(1);
    for (const auto& [limit, most] : limits)
        if (most == resources.blocks) resources.limited_by.emplace_back(limit);
}

namespace {

struct Capability { int major, minor; };
/// The limits of a multiprocessor.
struct Limits { int shared_bytes, threads, blocks; };

/// A GPU between Turing and Blackwell, by NVIDIA's guides: 32 banks, wide accesses in halves and quarters of a warp, sectors of 32 bytes.
/// Each has 65536 registers a multiprocessor. fermi() says what differs there.
Machine by_guide(const char* name, const char* description, Capability capability, int multiprocessors, int l2_bytes, Limits limits) {
    // From 8.0 on, 1 KiB of each block's shared memory is the system's.
    const int reserved = capability.major >= 8 ? 1 << 10 : 0;
    return {.name = name,
            .description = description,
            .is_checked = false,
            .shared = {.banks = 32,
                       .bank_width = 4,
                       .request_lanes = 32,
                       .words = SharedWords::multicast,
                       .wide = WideShared::phases,
                       .extra_wavefronts_of_16_bytes = 0},
            .coalescing = Coalescing::distinct_lines,
            .load_line_bytes = 32,
            .store_line_bytes = 32,
            .line_request_lanes = 0,
            .partitions = 0,
            .partition_bytes = 0,
            .compute_major = capability.major,
            .compute_minor = capability.minor,
            .multiprocessors = multiprocessors,
            .l2_bytes = l2_bytes,
            .max_block_threads = 1024,
            .max_shared_bytes = limits.shared_bytes - reserved,
            .default_shared_bytes = 48 << 10,
            .multiprocessor_shared_bytes = limits.shared_bytes,
            .multiprocessor_threads = limits.threads,
            .multiprocessor_blocks = limits.blocks};
}

/// The machine whose counts are compared with a GPU's. No guide says that its wide loads can merge.
Machine checked_hopper() {
    Machine machine = by_guide("sm_90", "Hopper, compute capability 9.0 (H100, H200)", {9, 0}, 132, 60 << 20, {228 << 10, 2048, 32});
    machine.is_checked = true;
    machine.shared.wide = WideShared::merging_phases;
    return machine;
}

/// Its loads go through the L1 in whole lines.
Machine fermi() {
    Machine machine = by_guide("fermi", "Fermi, compute capability 2.0 (Tesla M2090)", {2, 0}, 16, 768 << 10, {48 << 10, 1536, 8});
    machine.shared.extra_wavefronts_of_16_bytes = 1;
    machine.load_line_bytes = 128;
    machine.line_request_lanes = 32;
    return machine;
}

/// A GPU whose memory serves half-warps: 16 banks, and partitions of 256 bytes.
Machine before_fermi(const char* name, const char* description, Coalescing coalescing, int partitions, Capability capability,
                     int multiprocessors, int threads) {
    return {.name = name,
            .description = description,
            .is_checked = false,
            .shared = {.banks = 16,
                       .bank_width = 4,
                       .request_lanes = 16,
                       .words = SharedWords::one_broadcast,
                       .wide = WideShared::split_into_words,
                       .extra_wavefronts_of_16_bytes = 0},
            .coalescing = coalescing,
            .load_line_bytes = 0,
            .store_line_bytes = 0,
            .line_request_lanes = 0,
            .partitions = partitions,
            .partition_bytes = 256,
            .compute_major = capability.major,
            .compute_minor = capability.minor,
            .multiprocessors = multiprocessors,
            .l2_bytes = 0,
            .max_block_threads = 512,
            .max_shared_bytes = 16 << 10,
            .default_shared_bytes = 16 << 10,
            .multiprocessor_shared_bytes = 16 << 10,
            .multiprocessor_threads = threads,
            .multiprocessor_blocks = 8};
}

}  // namespace

const std::vector<Machine>& machines() {
    // Never destroyed: the report names the machine after the program has ended.
    static const std::vector<Machine>& all = *new std::vector<Machine>{
        checked_hopper(),
        by_guide("sm_75", "Turing, compute capability 7.5 (T4)", {7, 5}, 40, 4 << 20, {64 << 10, 1024, 16}),
        by_guide("sm_80", "Ampere, compute capability 8.0 (A100)", {8, 0}, 108, 40 << 20, {164 << 10, 2048, 32}),
        by_guide("sm_86", "Ampere, compute capability 8.6 (GeForce RTX 3090)", {8, 6}, 82, 6 << 20, {100 << 10, 1536, 16}),
        by_guide("sm_89", "Ada, compute capability 8.9 (GeForce RTX 4090)", {8, 9}, 128, 72 << 20, {100 << 10, 1536, 24}),
        by_guide("sm_100", "Blackwell, compute capability 10.0 (B200)", {10, 0}, 148, 126 << 20, {228 << 10, 2048, 32}),
        by_guide("sm_120", "Blackwell, compute capability 12.0 (GeForce RTX 5090)", {12, 0}, 170, 96 << 20, {100 << 10, 1536, 24}),
        fermi(),
        before_fermi("gt200", "GT200, compute capability 1.3 (GeForce GTX 280)", Coalescing::shrinking_segments, 8, {1, 3}, 30, 1024),
        before_fermi("g80", "G80, compute capability 1.0 (GeForce 8800 GTX)", Coalescing::strict_order, 6, {1, 0}, 16, 768),
    };
    return all;
}

namespace {

std::optional<Impossible> why_impossible_global(const Machine& machine) {
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

std::optional<Impossible> why_impossible_size(const Machine& machine) {
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

std::optional<Impossible> why_impossible(const Machine& machine) {
    if (const auto why = why_impossible(machine.shared)) return why;
    if (const auto why = why_impossible_global(machine)) return why;
    return why_impossible_size(machine);
}

std::string to_text(const Impossible& impossible) {
    return std::string(impossible.what) + ": got " + std::to_string(impossible.given) + ", accepted: " + impossible.accepted;
}

const Machine* find_machine(std::string_view name) {
    const auto found = std::ranges::find(machines(), name, &Machine::name);
    return found == machines().end() ? nullptr : &*found;
}

std::string machine_names() {
    std::string names;
    for (const Machine& machine : machines()) names += (names.empty() ? "" : ", ") + machine.name;
    return names;
}

}  // namespace simt
