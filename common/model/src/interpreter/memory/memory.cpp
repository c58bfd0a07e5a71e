// Loads and stores.

#include <algorithm>
#include <cstring>

#include "device/bounds.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

/// Loads elements of type `Memory` into registers of type `Register`.
template <class Memory, class Register>
void load_elements(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, const LanePointers& from) {
    for (int part = 0; part < access.count; ++part) {
        const std::uint32_t offset = instruction.operand_at(access.value_operand + part);
        Register* to = values<Register>(warp, offset);
        const std::size_t at = static_cast<std::size_t>(part) * sizeof(Memory);
        for_lanes(from.lanes, [&](std::size_t lane) {
            Memory value;
            std::memcpy(&value, from.at[lane] + at, sizeof value);
            to[lane] = static_cast<Register>(value);
        });
    }
}

/// Writes an element, and returns whether that changes it.
template <class Memory> bool exchange(unsigned char* at, const Memory& element) {
    Memory old;
    std::memcpy(&old, at, sizeof old);
    std::memcpy(at, &element, sizeof element);
    return old != element;
}

template <class Memory, class Register>
std::uint32_t store_elements(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, const LanePointers& to) {
    std::uint32_t changed = 0;
    for (int part = 0; part < access.count; ++part) {
        const Register* from = values<Register>(warp, instruction.operand_at(access.value_operand + part));
        const std::size_t at = static_cast<std::size_t>(part) * sizeof(Memory);
        for_lanes(to.lanes, [&](std::size_t lane) {
            changed |= static_cast<std::uint32_t>(exchange(to.at[lane] + at, static_cast<Memory>(from[lane]))) << lane;
        });
    }
    return changed;
}

/// Writes zeros for the lanes of a load that a hazard excluded.
void clear_left_out(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, std::uint32_t left_out) {
    const auto width = static_cast<std::size_t>(access.register_bytes);
    for (int part = 0; part < access.count; ++part) {
        const std::uint32_t offset = instruction.operand_at(access.value_operand + part);
        for (const std::size_t lane : lanes_in(left_out)) std::memset(warp.registers + offset + lane * width, 0, width);
    }
}

/// Reads the elements of all lanes, the first at `from` and each `step` bytes after the one before.
template <class Memory> void read_all(const unsigned char* from, std::ptrdiff_t step, Memory* elements) {
    if (step == static_cast<std::ptrdiff_t>(sizeof(Memory))) {
        std::memcpy(elements, from, sizeof(Memory) * warp_size);
        return;
    }
    for (std::size_t lane = 0; lane < warp_size; ++lane, from += step) std::memcpy(&elements[lane], from, sizeof(Memory));
}

/// Writes elements that are not next to one another; returns the lanes whose memory that changes. A column of a matrix can have all its
/// lines in one set of the processor's cache, so a few lanes at a time are read and written before others take their place.
template <class Memory> std::uint32_t exchange_all(unsigned char* to, std::ptrdiff_t step, const Memory* elements) {
    constexpr std::size_t together = 8;
    std::uint32_t changed = 0;
    for (std::size_t first = 0; first < warp_size; first += together, to += step * static_cast<std::ptrdiff_t>(together)) {
        std::uint32_t others = 0;
        unsigned char* at = to;
        for (std::size_t lane = first; lane < first + together; ++lane, at += step) {
            Memory old;
            std::memcpy(&old, at, sizeof old);
            others |= static_cast<std::uint32_t>(!(old == elements[lane])) << lane;
        }
        changed |= others;
        if (others == 0) continue;
        at = to;
        for (std::size_t lane = first; lane < first + together; ++lane, at += step) std::memcpy(at, &elements[lane], sizeof(Memory));
    }
    return changed;
}

/// load_elements() of all lanes.
template <class Memory, class Register>
void load_all(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, const EvenPlace& place) {
    for (int part = 0; part < access.count; ++part) {
        const std::uint32_t offset = instruction.operand_at(access.value_operand + part);
        Register* to = values<Register>(warp, offset);
        const unsigned char* from = place.first + static_cast<std::size_t>(part) * sizeof(Memory);
        if (place.lanes != all_lanes) {
            for (const std::size_t lane : lanes_in(place.lanes)) {
                Memory element;
                std::memcpy(&element, from + static_cast<std::ptrdiff_t>(lane) * place.step, sizeof element);
                to[lane] = static_cast<Register>(element);
            }
        } else if constexpr (sizeof(Memory) == sizeof(Register)) {
            read_all(from, place.step, to);
        } else {
            Memory elements[warp_size];
            read_all(from, place.step, elements);
            for (std::size_t lane = 0; lane < warp_size; ++lane) to[lane] = static_cast<Register>(elements[lane]);
        }
    }
}

/// Whether other blocks may see the memory of a space.
bool is_global(ptx::StateSpace space) {
    return space != ptx::StateSpace::shared && space != ptx::StateSpace::local && space != ptx::StateSpace::param;
}

/// store_elements() for all lanes, each with an address of its own.
template <class Memory, class Register>
std::uint32_t store_all(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access, const EvenPlace& place) {
    std::uint32_t changed = 0;
    for (int part = 0; part < access.count; ++part) {
        const Register* from = values<Register>(warp, instruction.operand_at(access.value_operand + part));
        unsigned char* to = place.first + static_cast<std::size_t>(part) * sizeof(Memory);
        if (place.lanes != all_lanes) {
            for (const std::size_t lane : lanes_in(place.lanes))
                changed |= static_cast<std::uint32_t>(
                               exchange(to + static_cast<std::ptrdiff_t>(lane) * place.step, static_cast<Memory>(from[lane])))
                           << lane;
            continue;
        }
        alignas(64) Memory old[warp_size], converted[warp_size];
        const Memory* elements = converted;
        if constexpr (std::is_same_v<Memory, Register>) elements = from;
        else
            for (std::size_t lane = 0; lane < warp_size; ++lane) converted[lane] = static_cast<Memory>(from[lane]);
        constexpr std::size_t bytes = sizeof converted;
        if (place.step != static_cast<std::ptrdiff_t>(sizeof(Memory))) {
            changed |= exchange_all(to, place.step, elements);
            continue;
        }
        if (!warp.block->watch.is_watching()) {
            // Only a watcher needs to know which lanes change memory, and nobody in a team that any does after the first.
            const bool is_noted = warp.in_team && (!is_global(place.space) || warp.launch->changed_memory.load(std::memory_order_relaxed));
            if (!is_noted && std::memcmp(to, elements, bytes) == 0) continue;
            std::memcpy(to, elements, bytes);
            changed = all_lanes;
            continue;
        }
        std::memcpy(old, to, sizeof old);
        const std::uint32_t others = lanes_where<Memory>([&](std::size_t lane) { return !(old[lane] == elements[lane]); });
        if (others) std::memcpy(to, elements, bytes);
        changed |= others;
    }
    return changed;
}

/// Takes the time of an access to global memory that orders others, or that no cache may answer.
void take_time_of(Warp& warp, const MemoryAccess& access) {
    if (access.cost > 0) [[unlikely]]
        warp.take_time(access.cost < cost_in_memory ? access.cost : access.cost * static_cast<std::uint64_t>(std::popcount(warp.active)));
}

/// Loads from addresses of any kind, after find_addresses(). Returns whether some are in global memory.
template <class Memory, class Register> bool load_lanes(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access) {
    bool at_device = false;
    by_space(warp, access, [&](ptx::StateSpace space, std::uint32_t lanes) {
        at_device |= is_global(space);
        const LanePointers pointers = check(warp, space, lanes);
        if (warp.declined) return;
        // The watcher's state comes from memory while the elements do.
        if (space == ptx::StateSpace::global) warp.block->watch.fetch_lines(warp.access, pointers.lanes);
        load_elements<Memory, Register>(warp, instruction, access, pointers);
        if (pointers.lanes != lanes) clear_left_out(warp, instruction, access, lanes & ~pointers.lanes);
        if (access.is_fused) return note_fused_access(warp, access, space, pointers, 0);
        note_plain_access(warp, access, space, pointers, 0);
    });
    return at_device;
}

/// Executes an access for the warps of a team, up to one that declines.
template <class Even, class Lanes>
void access_together(Warp& first, const DecodedInstruction& instruction, const MemoryAccess& access, Even&& even, Lanes&& lanes) {
    KnownRange range;
    for (RegisterFile& file : registers_of(first)) {
        Warp& warp = static_cast<Warp&>(file);
        if (const EvenPlace place = find_even_place(warp, instruction, access, range)) {
            even(warp, place);
            continue;
        }
        find_addresses(warp, instruction, access);
        lanes(warp);
        if (warp.declined) return;
    }
}

template <class Memory, class Register> void load(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<MemoryAccess>(instruction);
    if (warp.in_team)
        return access_together(
            warp, instruction, access,
            [&](Warp& each, const EvenPlace& place) { load_all<Memory, Register>(each, instruction, access, place); },
            [&](Warp& each) { load_lanes<Memory, Register>(each, instruction, access); });
    bool at_device = false;
    if (const EvenPlace place = find_even_place(warp, instruction, access)) {
        load_all<Memory, Register>(warp, instruction, access, place);
        note_even_access(warp, access, place, 0);
        forget_spacing(warp);
        at_device = is_global(place.space);
    } else {
        at_device = load_lanes<Memory, Register>(warp, instruction, access);
    }
    if (at_device) take_time_of(warp, access);
    if (access.poll >= 0) [[unlikely]]
        note_poll(warp, access.poll, at_device ? Look::at_device : Look::at_block);
}

/// Notes that the stores of the lanes of `changed` have changed memory.
void note_change(Warp& warp, ptx::StateSpace space, std::uint32_t changed) {
    if (changed == 0) return;
    warp.progress = true;
    // A read before the write lets several host threads keep it in their caches.
    if (is_global(space) && !warp.launch->changed_memory.load(std::memory_order_relaxed))
        warp.launch->changed_memory.store(true, std::memory_order_relaxed);
}

/// Stores to addresses of any kind, after find_addresses().
template <class Memory, class Register> void store_lanes(Warp& warp, const DecodedInstruction& instruction, const MemoryAccess& access) {
    by_space(warp, access, [&](ptx::StateSpace space, std::uint32_t lanes) {
        if (is_global(space)) take_time_of(warp, access);
        const LanePointers pointers = check(warp, space, lanes);
        if (warp.declined) return;
        const hazards::WatchedStore watched(warp.block->watch, warp.access, is_global(space) ? pointers.lanes : 0);
        const std::uint32_t changed = store_elements<Memory, Register>(warp, instruction, access, pointers);
        note_change(warp, space, changed);
        if (access.is_fused) return note_fused_access(warp, access, space, pointers, changed);
        note_plain_access(warp, access, space, pointers, changed);
    });
}

template <class Memory, class Register> void store(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<MemoryAccess>(instruction);
    if (warp.in_team)
        return access_together(
            warp, instruction, access,
            [&](Warp& each, const EvenPlace& place) {
                note_change(each, place.space, store_all<Memory, Register>(each, instruction, access, place));
            },
            [&](Warp& each) { store_lanes<Memory, Register>(each, instruction, access); });
    const EvenPlace place = find_even_place(warp, instruction, access);
    if (!place) return store_lanes<Memory, Register>(warp, instruction, access);
    const hazards::WatchedStore watched(warp.block->watch, warp.access, is_global(place.space) ? all_lanes : 0);
    const std::uint32_t changed = store_all<Memory, Register>(warp, instruction, access, place);
    note_change(warp, place.space, changed);
    note_even_access(warp, access, place, changed);
    if (is_global(place.space)) take_time_of(warp, access);
    forget_spacing(warp);
}

/// Loads a kernel's parameter at a fixed offset, the same value in all lanes.
void load_parameter(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<MemoryAccess>(instruction);
    const auto& parameters = warp.launch->parameters;
    const auto bytes = static_cast<std::size_t>(access.element_bytes), width = static_cast<std::size_t>(access.register_bytes);
    for (int part = 0; part < access.count; ++part) {
        std::uint64_t value[2] = {0, 0};
        const auto at = static_cast<std::size_t>(access.offset + part * access.element_bytes);
        if (has_room(parameters.size(), at, bytes)) std::memcpy(value, parameters.data() + at, bytes);
        if (access.is_signed && access.element_bytes < 8) {
            const int shift = 64 - 8 * access.element_bytes;
            value[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(value[0] << shift) >> shift);
        }
        const std::uint32_t to = instruction.operand_at(part);
        for (RegisterFile& file : registers_of(warp)) {
            if (file.active == all_lanes && width == 8) {
                std::fill_n(values<std::uint64_t>(file, to), warp_size, value[0]);
            } else if (file.active == all_lanes && width == 4) {
                std::fill_n(values<std::uint32_t>(file, to), warp_size, static_cast<std::uint32_t>(value[0]));
            } else {
                for (const std::size_t lane : lanes_in(file.active)) std::memcpy(file.registers + to + lane * width, value, width);
            }
        }
    }
}

/// Accesses a parameter of a function, in the frame's local memory. The access is not counted: on a GPU the parameter is a register.
template <bool is_load> void access_frame(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<MemoryAccess>(instruction);
    const auto bytes = static_cast<std::size_t>(access.element_bytes), width = static_cast<std::size_t>(access.register_bytes);
    for (const std::size_t lane : lanes_in(warp.active)) {
        unsigned char* at = warp.local_lane(lane) + warp.frame->local_base + static_cast<std::uint64_t>(access.offset);
        for (int part = 0; part < access.count; ++part, at += bytes) {
            unsigned char* reg = warp.registers + instruction.operand_at(access.value_operand + part) + lane * width;
            if constexpr (is_load) {
                std::memset(reg, access.is_signed && at[bytes - 1] & 0x80 ? 0xFF : 0, width);
                std::memcpy(reg, at, std::min(bytes, width));
            } else {
                std::memcpy(at, reg, std::min(bytes, width));
            }
        }
    }
}

template <template <class, class> class Handler, class Signed, class Unsigned> Execute for_register(int register_bytes, bool is_signed) {
    switch (register_bytes) {
        case 1: return is_signed ? Handler<Signed, std::int8_t>::run : Handler<Unsigned, std::uint8_t>::run;
        case 2: return is_signed ? Handler<Signed, std::int16_t>::run : Handler<Unsigned, std::uint16_t>::run;
        case 4: return is_signed ? Handler<Signed, std::int32_t>::run : Handler<Unsigned, std::uint32_t>::run;
        default: return is_signed ? Handler<Signed, std::int64_t>::run : Handler<Unsigned, std::uint64_t>::run;
    }
}

template <class Memory, class Register> struct Load {
    static void run(Warp& warp, const DecodedInstruction& instruction) { load<Memory, Register>(warp, instruction); }
};
template <class Memory, class Register> struct Store {
    static void run(Warp& warp, const DecodedInstruction& instruction) { store<Memory, Register>(warp, instruction); }
};

template <template <class, class> class Handler> Execute handler_for(const MemoryAccess& access) {
    switch (access.element_bytes) {
        case 1: return for_register<Handler, std::int8_t, std::uint8_t>(access.register_bytes, access.is_signed);
        case 2: return for_register<Handler, std::int16_t, std::uint16_t>(access.register_bytes, access.is_signed);
        case 4: return for_register<Handler, std::int32_t, std::uint32_t>(access.register_bytes, access.is_signed);
        case 8: return Handler<std::uint64_t, std::uint64_t>::run;
        default: return Handler<Bits128, Bits128>::run;
    }
}

void decode_access(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out, bool loads) {
    MemoryAccess access;
    access.space = space_of(instruction);
    for (const std::string& modifier : instruction.modifiers) {
        access.cluster |= modifier == "shared::cluster";
        access.is_atomic |= modifier == "relaxed" || modifier == "acquire" || modifier == "release";
        access.is_strong |= access.is_atomic || modifier == "volatile" || modifier == "mmio";
    }
    const bool orders = instruction.has("acquire") || instruction.has("release") || instruction.has("mmio");
    access.cost = !access.is_strong ? 0 : orders && !instruction.has("cta") ? cost_in_memory : cost_in_block;
    access.operation = loads ? Operation::load : Operation::store;
    const ptx::Type type = instruction.type();
    access.element_bytes = std::max(ptx::bytes_of(type), 1);
    access.is_signed = ptx::is_signed(type);
    access.count = vector_count(instruction);
    access.bytes = access.element_bytes * access.count;
    note_fusion(decoder, instruction, access);
    if (loads) access.poll = decoder.add_poll();
    access.is_atomic |= loads && decoder.is_guess();
    decoder.program().orders_blocks |= (access.poll >= 0 || access.is_atomic) && access.space != ptx::StateSpace::shared;
    const ptx::Operand& value = instruction.operands.at(loads ? 0 : 1);
    const AddressOperand address = decoder.address(instruction.operands.at(loads ? 1 : 0), access.space);
    access.register_bytes = decoder.register_bytes(value, type);
    access.value_operand = 0;
    decoder.add_all(out, value, type);
    if (out.operand_count != access.count) decoder.refuse(instruction, "registers");
    access.offset = address.offset;
    access.base_bytes = address.base_bytes;
    access.base_operand = out.operand_count;
    decoder.add(out, address.base);
    if (access.element_bytes == 16 && access.register_bytes != 16) decoder.refuse(instruction, "registers");
    if (address.in_frame) {
        const auto bytes = static_cast<std::uint64_t>(access.count) * static_cast<std::uint64_t>(access.element_bytes);
        if (!has_room(address.place_bytes, static_cast<std::uint64_t>(address.in_place), bytes)) decoder.refuse(instruction, "address");
        out.execute = loads ? access_frame<true> : access_frame<false>;
    } else if (access.space == ptx::StateSpace::param && instruction.operands.at(loads ? 1 : 0).base == ptx::Operand::Base::symbol) {
        // The offset of the parameter is the constant that the base would hold.
        std::uint32_t at;
        std::memcpy(&at, decoder.code().constants.data() + address.base, sizeof at);
        access.offset += at;
        out.execute = load_parameter;
    } else if (access.space == ptx::StateSpace::param) {
        // A pointer to a parameter is generic here.
        access.space = ptx::StateSpace::generic;
        out.execute = loads ? handler_for<Load>(access) : handler_for<Store>(access);
    } else {
        out.execute = loads ? handler_for<Load>(access) : handler_for<Store>(access);
    }
    if (access.cost == 0 && access.poll < 0 && !access.is_strong && !access.is_atomic)
        out.in_team = out.execute != access_frame<true> && out.execute != access_frame<false> && instruction.guard < 0 ? InTeam::at_once
                                                                                                                       : InTeam::one_by_one;
    decoder.keep(out, access);
}

}  // namespace

SIMT_DECODER(decode_load, decode_access, true)

bool decode_store(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (instruction.has("async")) return false;
    decode_access(decoder, instruction, out, false);
    return true;
}

}  // namespace simt::interpreter
