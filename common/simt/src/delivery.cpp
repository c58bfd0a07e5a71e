// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "delivery.hpp"

#include <bit>
#include <optional>
#include <string>

#include "device_heap.hpp"
#include "reporting.hpp"
#include "shared_arena.hpp"
#include "symbols.hpp"

namespace simt::detail {

namespace {

/// A range of addresses that an access may lie in.
struct Region {
    enum class Kind { shared, global, uncounted } kind;
    std::uint64_t begin;
    std::size_t bytes;

    bool holds(std::uint64_t address, std::uint64_t size) const
    {
        return address - begin < bytes && size <= bytes - (address - begin);
    }
};

/// The region of an access, or nothing if a kernel may not make it.
std::optional<Region> region_of(const TraceEntry& entry)
{
    const std::uint64_t address = entry.address;
    SharedArena& arena = SharedArena::instance();
    if (arena.contains(address)) {
        if (const auto* variable = arena.find(address - arena.begin()))
            return Region{Region::Kind::shared, arena.begin() + variable->offset, variable->bytes};
        return {};
    }
    DeviceHeap& heap = DeviceHeap::instance();
    if (heap.owns(address)) {
        if (const auto* allocation = heap.find(address); allocation && !allocation->freed)
            return Region{Region::Kind::global, allocation->begin, allocation->bytes};
        return {};
    }
    if (const Symbol* symbol = Symbols::instance().find(address)) {
        if (symbol->space == SymbolSpace::global) return Region{Region::Kind::global, symbol->begin, symbol->bytes};
        if (entry.kind == TraceEntry::Kind::load) return Region{Region::Kind::uncounted, symbol->begin, symbol->bytes};
        return {};
    }
    if (entry.kind == TraceEntry::Kind::load && is_read_only_data(address)) return Region{Region::Kind::uncounted, address, entry.size};
    return {};
}

const char* verb(const TraceEntry& entry)
{
    switch (entry.kind) {
        case TraceEntry::Kind::load: return " reads ";
        case TraceEntry::Kind::store: return " writes ";
        default: return " updates ";
    }
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

struct BadAddress {
    HazardKind kind;
    std::string message, help;
};

std::string past(std::uint64_t offset, std::size_t size)
{
    return (offset == size ? "right behind" : bytes_text(offset - size) + " past") + " the end of ";
}

BadAddress bad_shared(std::uint64_t offset, const std::string& what)
{
    SharedArena& arena = SharedArena::instance();
    const std::string help = "Check the index against the extent of the shared array.";
    if (offset >= SharedArena::mapped_bytes)
        return {HazardKind::out_of_bounds, what + bytes_text(-offset) + " before the shared memory of the block", help};
    if (const auto* inside = arena.find(offset))
        return {HazardKind::out_of_bounds, what + "across the end of a shared variable of " + bytes_text(inside->bytes), help};
    const auto* before = arena.find_before(offset);
    if (!before) return {HazardKind::out_of_bounds, what + "in shared memory, of which the block has none there", help};
    const bool dynamic = before->declaration == nullptr;
    return {HazardKind::out_of_bounds,
            what + past(offset, before->offset + before->bytes) + (dynamic ? "the dynamic shared memory of " : "a shared variable of ") +
                bytes_text(before->bytes),
            dynamic ? "Give the launch as many bytes of dynamic shared memory as the kernel uses." : help};
}

BadAddress bad_global(std::uint64_t address, const std::string& what)
{
    DeviceHeap& heap = DeviceHeap::instance();
    if (const Allocation* allocation = heap.find(address)) {
        if (allocation->freed)
            return {HazardKind::use_after_free, what + "in an allocation of " + bytes_text(allocation->bytes) + " that has been freed",
                    "Free memory only after the last kernel that uses it."};
        return {HazardKind::out_of_bounds, what + "across the end of an allocation of " + bytes_text(allocation->bytes),
                "Check the index against the size of the array."};
    }
    const std::string help = "Check the index against the size of the array, for the last block too.";
    // An index below 0 lands in the gap behind another allocation. The second half of the gap is taken for that.
    if (const Allocation* after = heap.find_after(address); after && after->begin - address <= DeviceHeap::alignment / 2 && !after->freed)
        return {HazardKind::out_of_bounds, what + bytes_text(after->begin - address) + " before an allocation of " + bytes_text(after->bytes), help};
    if (const Allocation* before = heap.find_before(address); before && address - before->begin < before->bytes + DeviceHeap::alignment * 16)
        return {before->freed ? HazardKind::use_after_free : HazardKind::out_of_bounds,
                what + past(address - before->begin, before->bytes) + "an allocation of " + bytes_text(before->bytes), help};
    return {HazardKind::out_of_bounds, what + "in device memory that is not allocated", help};
}

BadAddress describe(std::uint64_t address, const std::string& what)
{
    SharedArena& arena = SharedArena::instance();
    if (arena.contains(address)) return bad_shared(address - arena.begin(), what);
    if (DeviceHeap::instance().owns(address)) return bad_global(address, what);
    if (const Symbol* symbol = Symbols::instance().find(address))
        return {HazardKind::out_of_bounds,
                what + (symbol->space == SymbolSpace::constant ? "in the __constant__ variable " : "across the end of the variable ") + symbol->name,
                "Kernels may only read __constant__ variables, and only as far as they reach."};
    if (address < 4096) return {HazardKind::out_of_bounds, what + "through a null pointer", "Check the allocation and the kernel's arguments."};
    return {HazardKind::out_of_bounds, what + "in host memory", "Copy the data to memory from cudaMalloc and pass that to the kernel."};
}

void report_access(int slot, const TraceEntry& entry)
{
    if (!is_first_report(HazardKind::out_of_bounds, entry.site, entry.site)) return;
    const auto bad = describe(entry.address, thread_name(slot) + verb(entry) + bytes_text(entry.size) + " ");
    report_hazard(bad.kind, {slot}, {entry.site}, bad.message, bad.help);
}

bool is_misaligned(const TraceEntry& entry) { return entry.address % entry.size != 0; }

void report_misaligned(int slot, const TraceEntry& entry)
{
    if (!is_first_report(HazardKind::misaligned, entry.site, entry.site)) return;
    report_hazard(HazardKind::misaligned, {slot}, {entry.site},
                  thread_name(slot) + verb(entry) + bytes_text(entry.size) + " at an address that is not a multiple of " + std::to_string(entry.size),
                  "Access wide types only at multiples of their size, or use a narrower type.");
}

Operation operation_of(TraceEntry::Kind kind)
{
    switch (kind) {
        case TraceEntry::Kind::load: return Operation::load;
        case TraceEntry::Kind::store: return Operation::store;
        default: return Operation::atomic;
    }
}

/// Collects the lanes of one instruction that go to one kind of memory.
class Collector {
public:
    Collector(int warp, const TraceEntry& first)
    {
        access_.operation = operation_of(first.kind);
        access_.site = first.site;
        access_.size = first.size;
        access_.active = access_.changed = 0;
        access_.warp = warp;
    }

    void add(int lane, const TraceEntry& entry, const Region& region)
    {
        if (access_.active == 0) access_.allocation = region.begin;
        access_.active |= 1u << lane;
        access_.changed |= static_cast<std::uint32_t>(entry.changed) << lane;
        access_.address[static_cast<std::size_t>(lane)] = entry.address;
    }

    void hand_on(const std::vector<Listener*>& listeners, Space space)
    {
        if (access_.active == 0) return;
        access_.space = space;
        if (space == Space::shared) {
            const std::uint64_t origin = SharedArena::instance().begin();
            for (std::uint32_t rest = access_.active; rest; rest &= rest - 1) access_.address[static_cast<std::size_t>(std::countr_zero(rest))] -= origin;
            access_.allocation = 0;
        }
        for (Listener* listener : listeners) listener->warp_access(access_);
    }

private:
    WarpAccess access_;
};

}  // namespace

void deliver(const std::vector<Listener*>& listeners, int warp, const AlignedAccess& aligned)
{
    const TraceEntry& first = *aligned.access[static_cast<std::size_t>(std::countr_zero(aligned.lanes))];
    Collector shared(warp, first), global(warp, first);
    // Lanes mostly go to one region; it is looked up again only for a lane that leaves it.
    std::optional<Region> region;
    for (std::uint32_t rest = aligned.lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const TraceEntry& entry = *aligned.access[static_cast<std::size_t>(lane)];
        if (!region || !region->holds(entry.address, entry.size)) {
            region = region_of(entry);
            if (!region || !region->holds(entry.address, entry.size)) {
                report_access(warp * warp_size + lane, entry);
                continue;
            }
        }
        if (is_misaligned(entry)) {
            report_misaligned(warp * warp_size + lane, entry);
            continue;
        }
        if (region->kind == Region::Kind::shared) shared.add(lane, entry, *region);
        if (region->kind == Region::Kind::global) global.add(lane, entry, *region);
    }
    shared.hand_on(listeners, Space::shared);
    global.hand_on(listeners, Space::global);
}

cudaError_t report_bad_address(int slot, std::uint64_t address, const TraceEntry* last)
{
    if (last && address - last->address < std::max<std::uint64_t>(last->size, 1)) {
        report_access(slot, *last);
        return cudaErrorIllegalAddress;
    }
    // A machine that cannot access a wide type at a narrow address does not name the address.
    if (last && address == 0 && last->size > 0 && is_misaligned(*last)) {
        report_misaligned(slot, *last);
        return cudaErrorMisalignedAddress;
    }
    const auto bad = describe(address, thread_name(slot) + " accesses memory ");
    report_hazard(bad.kind, {slot}, last ? std::vector{last->site} : std::vector<std::uint32_t>{}, bad.message, bad.help);
    return cudaErrorIllegalAddress;
}

}  // namespace simt::detail
