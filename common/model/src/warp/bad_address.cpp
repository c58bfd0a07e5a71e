// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "warp/bad_address.hpp"

#include <string>

namespace simt::warp {

namespace {

using memory::AddressSpace;
using memory::Allocation;

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string past(std::uint64_t offset, std::uint64_t size)
{
    return (offset == size ? "right behind" : bytes_text(offset - size) + " past") + " the end of ";
}

const char* verb(Operation operation)
{
    switch (operation) {
        case Operation::load: return " reads ";
        case Operation::store: return " writes ";
        default: return " updates ";
    }
}

std::string subject(const Warp& warp, int lane)
{
    return hazards::thread_name(warp.launch->info, warp.thread_of(lane)) + verb(warp.access.operation) +
           bytes_text(static_cast<std::uint64_t>(warp.access.size)) + " ";
}

void report(Warp& warp, int lane, HazardKind kind, std::string message, std::string help)
{
    const int lanes[] = {lane};
    const std::uint32_t program_counters[] = {warp.access.program_counter};
    warp.block->report(kind, warp, lanes, program_counters, std::move(message), std::move(help));
}

struct BadAddress {
    HazardKind kind;
    std::string place, help;
    /// The address is so far from everything that a GPU ends the launch.
    bool far = true;
};

BadAddress describe_unallocated(std::uint64_t address)
{
    const AddressSpace& space = AddressSpace::instance();
    const std::string help = "Check the index against the size of the array, for the last block too.";
    Allocation near;
    // An index below 0 lands in the gap behind another allocation. The second half of the gap is taken for that.
    if (space.find_after(address, near) && near.begin - address <= AddressSpace::alignment / 2 && !near.freed)
        return {HazardKind::out_of_bounds, bytes_text(near.begin - address) + " before an allocation of " + bytes_text(near.bytes), help};
    if (space.find_before(address, near) && address - near.begin < near.bytes + AddressSpace::alignment * 16) {
        const bool in_last_page =
            address - near.begin < (near.bytes + AddressSpace::alignment - 1) / AddressSpace::alignment * AddressSpace::alignment;
        return {near.freed ? HazardKind::use_after_free : HazardKind::out_of_bounds,
                past(address - near.begin, near.bytes) + "an allocation of " + bytes_text(near.bytes), help, !in_last_page || near.freed};
    }
    return {HazardKind::out_of_bounds, "in device memory that is not allocated", help};
}

BadAddress describe_global(std::uint64_t address)
{
    const AddressSpace& space = AddressSpace::instance();
    Allocation allocation;
    if (space.find(address, allocation)) {
        if (allocation.freed)
            return {HazardKind::use_after_free, "in an allocation of " + bytes_text(allocation.bytes) + " that has been freed",
                    "Free memory only after the last kernel that uses it."};
        return {HazardKind::out_of_bounds, "across the end of an allocation of " + bytes_text(allocation.bytes),
                "Check the index against the size of the array.", false};
    }
    if (space.owns(address)) return describe_unallocated(address);
    // Mapped memory comes in pages: what is left of the last one, a GPU reads and writes.
    constexpr std::uint64_t page = 4096;
    if (space.find_before(address, allocation) && address < (allocation.begin + allocation.bytes + page - 1) / page * page)
        return {HazardKind::out_of_bounds,
                past(address - allocation.begin, allocation.bytes) + "an allocation of " + bytes_text(allocation.bytes),
                "Check the index against the size of the array, for the last block too.", false};
    if (address < 4096) return {HazardKind::out_of_bounds, "through a null pointer", "Check the allocation and the kernel's arguments."};
    return {HazardKind::out_of_bounds, "in host memory", "Copy the data to memory from cudaMalloc and pass that to the kernel."};
}

}  // namespace

void report_bad_global(Warp& warp, int lane, std::uint64_t address)
{
    const BadAddress bad = describe_global(address);
    report(warp, lane, bad.kind, subject(warp, lane) + bad.place, bad.help);
    if (bad.far) throw LaunchStopped(error_illegal_address, {});
}

void report_bad_shared(Warp& warp, int lane, std::uint64_t offset)
{
    const std::string help = "Check the index against the extent of the shared array.";
    const SharedVariable* before = nullptr;
    std::uint64_t bytes = 0;
    for (const SharedVariable& variable : warp.launch->program->shared) {
        const std::uint64_t extent = variable.dynamic ? warp.launch->info.dynamic_shared_bytes : variable.bytes;
        if (offset - variable.offset < extent)
            return report(warp, lane, HazardKind::out_of_bounds,
                          subject(warp, lane) + "across the end of a shared variable of " + bytes_text(extent), help);
        if (variable.offset + extent <= offset && (!before || variable.offset > before->offset)) before = &variable, bytes = extent;
    }
    const std::uint64_t first = warp.launch->program->shared.empty() ? 0 : warp.launch->program->shared.front().offset;
    const std::uint64_t as_negative = (first - offset) & 0xFFFF'FFFFu;
    if (!before || as_negative < first + (std::uint64_t{1} << 16))
        return report(warp, lane, HazardKind::out_of_bounds,
                      warp.launch->program->shared.empty()
                          ? subject(warp, lane) + "in shared memory, of which the block has none there"
                          : subject(warp, lane) + bytes_text(as_negative) + " before the shared memory of the block",
                      help);
    report(warp, lane, HazardKind::out_of_bounds,
           subject(warp, lane) + past(offset, before->offset + bytes) +
               (before->dynamic ? "the dynamic shared memory of " : "a shared variable of ") + bytes_text(bytes),
           before->dynamic ? "Give the launch as many bytes of dynamic shared memory as the kernel uses." : help);
}

void report_bad_local(Warp& warp, int lane)
{
    report(warp, lane, HazardKind::out_of_bounds, subject(warp, lane) + "outside of the thread's local memory",
           "Check the index against the extent of the local array.");
}

void report_misaligned(Warp& warp, int lane, bool fatal)
{
    report(warp, lane, HazardKind::misaligned,
           subject(warp, lane) + "at an address that is not a multiple of " + std::to_string(warp.access.size),
           "Access wide types only at multiples of their size, or use a narrower type.");
    if (fatal) throw LaunchStopped(error_misaligned, {});
}

}  // namespace simt::warp
