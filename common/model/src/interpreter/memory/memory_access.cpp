#include "interpreter/memory/memory_access.hpp"
#include "device/bounds.hpp"

#include <algorithm>
#include <string>

#include "interpreter/memory/bad_address.hpp"

namespace simt::interpreter {

namespace {

struct Bounds { std::uint64_t least, most, bits; };

Bounds bounds_of(const std::array<std::uint64_t, warp_size>& address, std::uint32_t lanes) {
    if (lanes == all_lanes) {
        std::uint64_t least = address[0], most = address[0], bits = 0;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            least = address[lane] < least ? address[lane] : least;
            most = address[lane] > most ? address[lane] : most;
            bits |= address[lane];
        }
        return {least, most, bits};
    }
    Bounds bounds{~std::uint64_t{0}, 0, 0};
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t a = address[lane];
        bounds = {std::min(bounds.least, a), std::max(bounds.most, a), bounds.bits | a};
    }
    return bounds;
}

void point_all(Warp& warp, LanePointers& pointers, std::int64_t delta) {
    for (std::size_t lane = 0; lane < warp_size; ++lane)
        pointers.at[lane] = reinterpret_cast<unsigned char*>(warp.access.address[lane] + static_cast<std::uint64_t>(delta));
}

/// Whether the addresses are multiples of the access's size. `bits` are the bits of any of them.
bool is_aligned(const Warp& warp, std::uint64_t bits) { return (bits & (static_cast<std::uint64_t>(warp.access.size) - 1)) == 0; }

std::uint32_t aligned_lanes(Warp& warp, std::uint32_t lanes, std::uint64_t bits, bool fatal) {
    if (is_aligned(warp, bits)) return lanes;
    const auto size = static_cast<std::uint64_t>(warp.access.size);
    std::uint32_t good = 0;
    for (const std::size_t lane : lanes_in(lanes)) {
        if (warp.access.address[lane] % size == 0) good |= 1u << lane;
        else report_misaligned(warp, lane, fatal);
    }
    return good;
}

/// Checks lane by lane, where not all lanes are inside one allocation.
LanePointers check_global_slowly(Warp& warp, std::uint32_t lanes) {
    LanePointers pointers;
    const auto size = static_cast<std::size_t>(warp.access.size);
    memory::Allocation allocation;
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t address = warp.access.address[lane];
        const bool known = allocation.bytes > 0 && allocation.contains(address, size);
        if (!known && !(memory::AddressSpace::instance().find(address, allocation) && may_access(warp, allocation) &&
                        allocation.contains(address, size))) {
            report_bad_global(warp, lane, address);
            allocation = {};
            continue;
        }
        if (pointers.lanes == 0) warp.access.allocation = allocation.begin;
        pointers.lanes |= 1u << lane;
        pointers.at[lane] = allocation.at(address);
    }
    return pointers;
}

}  // namespace

bool may_access(const Warp& warp, const memory::Allocation& allocation) {
    return !allocation.freed && (!allocation.constant || warp.access.operation == Operation::load);
}

bool find_global(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size, KnownRange& range) {
    auto& recent = warp.block->recent();
    for (int attempt = 0; attempt < 2; ++attempt) {
        for (const memory::Allocation& allocation : recent) {
            if (!allocation.contains(least) || !allocation.contains(most, size) || !may_access(warp, allocation)) continue;
            warp.access.allocation = allocation.begin;
            range.begin = allocation.begin;
            range.bytes = allocation.bytes;
            range.at = allocation.at(allocation.begin);
            return true;
        }
        memory::Allocation found;
        if (attempt > 0 || !memory::AddressSpace::instance().find(least, found)) break;
        std::shift_right(recent.begin(), recent.end(), 1);
        recent[0] = found;
    }
    return false;
}

bool find_shared(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size, KnownRange& range) {
    for (const SharedVariable& variable : warp.launch->program->shared) {
        range.begin = variable.offset;
        range.bytes = variable.dynamic ? warp.launch->info.dynamic_shared_bytes : variable.bytes;
        range.at = warp.block->shared_memory.data() + variable.offset;
        if (!range.holds(least, most, size)) continue;
        warp.access.allocation = 0;
        return true;
    }
    range.bytes = 0;
    return false;
}

unsigned char* locate_global(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size) {
    KnownRange range;
    return find_global(warp, least, most, size, range) ? range.at + (least - range.begin) : nullptr;
}

unsigned char* locate_shared(Warp& warp, std::uint64_t least, std::uint64_t most, std::size_t size) {
    KnownRange range;
    return find_shared(warp, least, most, size, range) ? range.at + (least - range.begin) : nullptr;
}

LanePointers check_global(Warp& warp, std::uint32_t lanes) {
    const Bounds bounds = bounds_of(warp.access.address, lanes);
    const unsigned char* const least = locate_global(warp, bounds.least, bounds.most, static_cast<std::size_t>(warp.access.size));
    if (declines(warp, !least || !is_aligned(warp, bounds.bits))) return {};
    lanes = aligned_lanes(warp, lanes, bounds.bits, true);
    if (!least) return check_global_slowly(warp, lanes);
    LanePointers pointers;
    pointers.lanes = lanes;
    point_all(warp, pointers, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(least) - bounds.least));
    return pointers;
}

LanePointers check_shared(Warp& warp, std::uint32_t lanes) {
    LanePointers pointers;
    const Bounds bounds = bounds_of(warp.access.address, lanes);
    const auto size = static_cast<std::uint64_t>(warp.access.size);
    const bool is_inside = locate_shared(warp, bounds.least, bounds.most, size);
    if (declines(warp, !is_inside || !is_aligned(warp, bounds.bits))) return pointers;
    lanes = aligned_lanes(warp, lanes, bounds.bits, false);
    warp.access.allocation = 0;
    Block& block = *warp.block;
    if (is_inside) {
        pointers.lanes = lanes;
        point_all(warp, pointers, reinterpret_cast<std::int64_t>(block.shared_memory.data()));
        return pointers;
    }
    for (const std::size_t lane : lanes_in(lanes)) {
        auto& address = warp.access.address[lane];
        Block* owner = &block;
        if (const std::uint64_t rank = address / memory::shared_window_bytes; rank > 0 && rank <= block.cluster.size()) {
            owner = block.cluster[static_cast<std::size_t>(rank - 1)];
            address %= memory::shared_window_bytes;
        }
        const bool inside = std::ranges::any_of(warp.launch->program->shared, [&](const SharedVariable& variable) {
            const std::uint64_t bytes = variable.dynamic ? warp.launch->info.dynamic_shared_bytes : variable.bytes;
            return has_room(bytes, address - variable.offset, size);
        });
        if (!inside) {
            report_bad_shared(warp, lane, address);
            continue;
        }
        pointers.lanes |= 1u << lane;
        if (owner != &block) {
            pointers.elsewhere |= 1u << lane;
            if (warp.access.operation != Operation::load) owner->watch.mark_written(address, size);
        }
        pointers.at[lane] = owner->shared_memory.data() + address;
    }
    return pointers;
}

/// Checks accesses to `bytes` bytes that begin at `begin_of(lane)`.
template <class Begin> LanePointers check_own(Warp& warp, std::uint32_t lanes, std::size_t bytes, const Begin& begin_of) {
    LanePointers pointers;
    const auto size = static_cast<std::uint64_t>(warp.access.size);
    const Bounds bounds = bounds_of(warp.access.address, lanes);
    if (declines(warp, !has_room(bytes, bounds.least, size) || !has_room(bytes, bounds.most, size))) return pointers;
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t address = warp.access.address[lane];
        if (!has_room(bytes, address, size)) {
            report_bad_local(warp, lane);
            continue;
        }
        pointers.lanes |= 1u << lane;
        pointers.at[lane] = begin_of(lane) + address;
    }
    return pointers;
}

LanePointers check_local(Warp& warp, std::uint32_t lanes) {
    const std::uint64_t bits = bounds_of(warp.access.address, lanes).bits;
    if (declines(warp, !is_aligned(warp, bits))) return {};
    lanes = aligned_lanes(warp, lanes, bits, true);
    return check_own(warp, lanes, warp.local_capacity, [&](std::size_t lane) { return warp.local_lane(lane); });
}

LanePointers check_parameters(Warp& warp, std::uint32_t lanes) {
    auto& parameters = warp.launch->parameters;
    return check_own(warp, lanes, parameters.size(), [&](std::size_t) { return parameters.data(); });
}

LanePointers check(Warp& warp, ptx::StateSpace space, std::uint32_t lanes) {
    switch (space) {
        case ptx::StateSpace::shared: return check_shared(warp, lanes);
        case ptx::StateSpace::local: return check_local(warp, lanes);
        case ptx::StateSpace::param: return check_parameters(warp, lanes);
        default: return check_global(warp, lanes);
    }
}

namespace {

void describe(WarpAccess& access, ptx::StateSpace space, const LanePointers& pointers, Operation operation, std::uint32_t changed) {
    access.active = pointers.lanes;
    access.operation = operation;
    access.changed = changed;
    if (space == ptx::StateSpace::local) access.allocation = 0;
    switch (space) {
        case ptx::StateSpace::shared: access.space = Space::shared; break;
        case ptx::StateSpace::local: access.space = Space::local; break;
        case ptx::StateSpace::constant: access.space = Space::constant; break;
        default: access.space = Space::global; break;
    }
}

/// The part of an access that is counted and watched: the lanes whose bytes are in the block's own memory. An H200 does not count
/// the accesses of other blocks of a cluster to a block's shared memory; the model only notes which bytes they write.
WarpAccess own_part(const WarpAccess& access, const LanePointers& pointers) {
    WarpAccess own = access;
    own.active &= ~pointers.elsewhere;
    own.changed &= ~pointers.elsewhere;
    own.evenly_spaced &= pointers.elsewhere == 0;
    return own;
}

bool is_private(const WarpAccess& access) { return access.space == Space::local || access.space == Space::constant; }

}  // namespace

void note_access(Warp& warp, ptx::StateSpace space, const LanePointers& pointers, Operation operation, std::uint32_t changed) {
    if (pointers.lanes == 0 || space == ptx::StateSpace::param || !warp.block->watch.is_watching()) return;
    WarpAccess& access = warp.access;
    describe(access, space, pointers, operation, changed);
    if (is_private(access)) {
        warp.block->watch.count_only(access);
    } else if (access.space == Space::global && operation == Operation::load && warp.launch->workspace &&
               access.allocation == warp.launch->workspace) {
        // A load of the grid-wide barrier orders the thread after the threads that have arrived there.
        warp.block->watch.count_only(access);
        warp.block->watch.global_release_acquire(access.address[first_lane(access.active)]);
    } else if (pointers.elsewhere) {
        warp.block->watch.tell_cluster_access(std::popcount(pointers.elsewhere));
        if (const WarpAccess own = own_part(access, pointers); own.active) warp.block->watch.access(own);
    } else {
        warp.block->watch.access(access);
    }
}

void note_plain_access(Warp& warp, const MemoryAccess& access, ptx::StateSpace space, const LanePointers& pointers, std::uint32_t changed) {
    const bool is_global = space == ptx::StateSpace::global, is_shared = space == ptx::StateSpace::shared && !pointers.elsewhere;
    const bool is_atomic =
        access.is_atomic ? is_global || is_shared : access.is_strong && is_global && !warp.launch->program->polls.empty();
    if (!is_atomic || pointers.lanes == 0 || !warp.block->watch.is_watching())
        return note_access(warp, space, pointers, access.operation, changed);
    hazards::BlockWatch& watch = warp.block->watch;
    describe(warp.access, space, pointers, access.operation, changed);
    watch.count_only(warp.access);
    if (access.operation == Operation::load) {
        if (is_global)
            for (const std::size_t lane : lanes_in(pointers.lanes)) watch.global_release_acquire(warp.access.address[lane]);
        return;
    }
    WarpAccess as_atomic = warp.access;
    as_atomic.operation = Operation::atomic;
    as_atomic.needs_old = false;
    as_atomic.changed = as_atomic.active;
    watch.uncounted_access(as_atomic);
}

void note_fused_access(Warp& warp, const MemoryAccess& access, ptx::StateSpace space, const LanePointers& pointers, std::uint32_t changed) {
    if (pointers.lanes == 0 || space == ptx::StateSpace::param || !warp.block->watch.is_watching()) return;
    describe(warp.access, space, pointers, access.operation, changed);
    WarpAccess wide = own_part(warp.access, pointers);
    if (wide.active == 0) return;
    if (!is_private(wide)) warp.block->watch.uncounted_access(wide);
    if (access.counted.bytes == 0) return;
    wide.size = access.counted.bytes;
    if (access.counted.one_lane) {
        wide.active &= ~wide.active + 1;
        wide.evenly_spaced = false;
    }
    for (std::uint64_t& address : wide.address) address += static_cast<std::uint64_t>(access.counted.offset);
    warp.block->watch.count_only(wide);
}

void note_poll(Warp& warp, int poll, Look look) {
    note_bit(warp.launch->polled, poll);
    if (look == Look::none) return;
    // The value cannot change until other warps have had their turn.
    warp.patience = 1;
    warp.look = look;
}

void note_fusion(const Decoder& decoder, const ptx::Instruction& instruction, MemoryAccess& access) {
    const FunctionFusion* fusion = find_fusion(decoder.text().fingerprint, decoder.function().name);
    if (!fusion) return;
    const auto found = fusion->counted.find(instruction.ptx_line);
    if (found == fusion->counted.end()) return;
    access.is_fused = true;
    access.counted = found->second;
}

GenericLanes split_generic(const Warp& warp, std::uint32_t lanes) {
    GenericLanes split;
    const Bounds bounds = bounds_of(warp.access.address, lanes);
    if (bounds.most < memory::shared_window) {
        split.global = lanes;
        return split;
    }
    for (const std::size_t lane : lanes_in(lanes)) {
        const std::uint64_t address = warp.access.address[lane];
        const std::uint32_t bit = 1u << lane;
        if (memory::is_shared(address)) split.shared |= bit;
        else if (memory::is_local(address)) split.local |= bit;
        else if (memory::is_parameter(address)) split.parameter |= bit;
        else split.global |= bit;
    }
    return split;
}

ptx::StateSpace space_of(const ptx::Instruction& instruction) {
    for (const std::string& modifier : instruction.modifiers) {
        if (modifier == "global") return ptx::StateSpace::global;
        if (modifier.starts_with("shared")) return ptx::StateSpace::shared;
        if (modifier == "local") return ptx::StateSpace::local;
        if (modifier == "const") return ptx::StateSpace::constant;
        if (modifier.starts_with("param")) return ptx::StateSpace::param;
    }
    return ptx::StateSpace::generic;
}

int vector_count(const ptx::Instruction& instruction) {
    for (const std::string& modifier : instruction.modifiers) {
        if (modifier == "v2") return 2;
        if (modifier == "v4") return 4;
        if (modifier == "v8") return 8;
    }
    return 1;
}

unsigned char* generic_pointer(Warp& warp, std::size_t lane, std::uint64_t address, std::size_t bytes) {
    if (memory::is_shared(address)) {
        const std::uint64_t offset = address - memory::shared_window;
        return has_room(warp.block->shared_memory.size(), offset, bytes) ? warp.block->shared_memory.data() + offset : nullptr;
    }
    if (memory::is_local(address)) {
        const std::uint64_t offset = address - memory::local_window;
        return has_room(warp.local_capacity, offset, bytes) ? warp.local_lane(lane) + offset : nullptr;
    }
    if (memory::is_parameter(address)) {
        const std::uint64_t offset = address - memory::parameter_window;
        return has_room(warp.launch->parameters.size(), offset, bytes) ? warp.launch->parameters.data() + offset : nullptr;
    }
    return memory::AddressSpace::instance().host_bytes(address, bytes);
}

}  // namespace simt::interpreter
