// atom and red, which update memory lane by lane, in the order of the lanes.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "interpreter/arithmetic/half.hpp"
#include "interpreter/memory/atomic_update.hpp"
#include "interpreter/memory/memory_access.hpp"

namespace simt::interpreter {

namespace {

struct AtomicAccess : MemoryAccess {
    Update update = Update::add;
    ptx::Type type = ptx::Type::u32;
    bool returns = false;
    int second_operand = 0;
    /// Whether the old value is read, by another instruction or by the operation itself.
    bool needs_old = true;
    /// Whether the operation adds 1 and its result is never read.
    bool counts = false;
};

template <class T> T combine(Update update, T old, T value, T swap) {
    switch (update) {
        case Update::add:
            if constexpr (std::is_integral_v<T>)
                return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(value));
            else return old + value;
        case Update::minimum: return value < old ? value : old;
        case Update::maximum: return value > old ? value : old;
        case Update::exchange: return value;
        case Update::compare_and_swap: return old == value ? swap : old;
        default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        switch (update) {
            case Update::increment: return old >= value ? T{0} : static_cast<T>(old + 1);
            case Update::decrement: return old == 0 || old > value ? value : static_cast<T>(old - 1);
            case Update::bit_and: return static_cast<T>(old & value);
            case Update::bit_or: return static_cast<T>(old | value);
            case Update::bit_xor: return static_cast<T>(old ^ value);
            default: break;
        }
    }
    return old;
}

template <class Bits> Bits load_relaxed(unsigned char* at) {
    return std::atomic_ref<Bits>(*reinterpret_cast<Bits*>(at)).load(std::memory_order_relaxed);
}

/// Replaces the bits at `at` by `next(bits)` atomically; returns the old bits.
template <class Bits, class Next> Bits replace(unsigned char* at, Next&& next) {
    std::atomic_ref<Bits> word(*reinterpret_cast<Bits*>(at));
    Bits old = word.load(std::memory_order_relaxed);
    while (!word.compare_exchange_weak(old, next(old), std::memory_order_acq_rel)) {}
    return old;
}

template <class T, class Bits> Bits update(const AtomicAccess& access, unsigned char* at, Bits value, Bits swap) {
    return replace<Bits>(at, [&](Bits old) {
        return std::bit_cast<Bits>(combine<T>(access.update, std::bit_cast<T>(old), std::bit_cast<T>(value), std::bit_cast<T>(swap)));
    });
}

template <class H> std::uint16_t combine_as(Update update, std::uint16_t old, std::uint16_t value) {
    return round_to<H>(combine<float>(update, to_float(H{old}), to_float(H{value}), 0)).bits;
}

std::uint16_t combine_half(const AtomicAccess& access, std::uint16_t old, std::uint16_t value) {
    const bool brain = access.type == ptx::Type::bf16 || access.type == ptx::Type::bf16x2;
    return brain ? combine_as<Bfloat>(access.update, old, value) : combine_as<Half>(access.update, old, value);
}

/// Updates one element of `bytes` bytes and returns its old value.
std::uint64_t update_element(const AtomicAccess& access, unsigned char* at, std::uint64_t value, std::uint64_t swap) {
    using ptx::Type;
    const auto value32 = static_cast<std::uint32_t>(value), swap32 = static_cast<std::uint32_t>(swap);
    switch (access.type) {
        case Type::f32: return update<float>(access, at, value32, swap32);
        case Type::f64: return update<double>(access, at, value, swap);
        case Type::s32: return update<std::int32_t>(access, at, value32, swap32);
        case Type::s64: return update<std::int64_t>(access, at, value, swap);
        case Type::f16:
        case Type::bf16:
            return replace<std::uint16_t>(at,
                                          [&](std::uint16_t old) { return combine_half(access, old, static_cast<std::uint16_t>(value)); });
        case Type::f16x2:
        case Type::bf16x2:
            return replace<std::uint32_t>(at, [&](std::uint32_t old) {
                return static_cast<std::uint32_t>(
                    combine_half(access, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(value)) |
                    combine_half(access, static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(value >> 16)) << 16);
            });
        case Type::b16:
        case Type::u16: return update<std::uint16_t>(access, at, static_cast<std::uint16_t>(value), static_cast<std::uint16_t>(swap));
        default: break;
    }
    if (access.element_bytes == 8) return update<std::uint64_t>(access, at, value, swap);
    return update<std::uint32_t>(access, at, value32, swap32);
}

/// Updates 16 bytes, by `exch` or `cas` alone. A lock orders blocks on several host threads.
void update_wide(const AtomicAccess& access, unsigned char* at, const unsigned char* value, const unsigned char* swap, unsigned char* old) {
    static std::atomic_flag lock;
    while (lock.test_and_set(std::memory_order_acquire)) {}
    std::memcpy(old, at, 16);
    if (access.update == Update::exchange) std::memcpy(at, value, 16);
    else if (std::memcmp(at, value, 16) == 0) std::memcpy(at, swap, 16);
    lock.clear(std::memory_order_release);
}

void update_lane(Warp& warp, const DecodedInstruction& instruction, const AtomicAccess& access, std::size_t lane, unsigned char* at) {
    const int width = access.register_bytes;
    for (int part = 0; part < access.count; ++part, at += access.element_bytes) {
        const auto value_operand = instruction.operand_at(access.value_operand + part);
        const auto swap_operand = access.second_operand ? instruction.operand_at(access.second_operand + part) : no_operand;
        const std::uint32_t to = access.returns ? instruction.operand_at(part) : no_operand;
        if (access.element_bytes == 16) {
            unsigned char old[16];
            const unsigned char* value = warp.registers + value_operand + lane * 16;
            update_wide(access, at, value, swap_operand == no_operand ? value : warp.registers + swap_operand + lane * 16, old);
            if (to != no_operand) std::memcpy(warp.registers + to + lane * 16, old, 16);
            continue;
        }
        const std::uint64_t value = lane_value(warp, value_operand, lane, width);
        const std::uint64_t swap = swap_operand == no_operand ? 0 : lane_value(warp, swap_operand, lane, width);
        const std::uint64_t old = update_element(access, at, value, swap);
        if (to != no_operand) set_lane_value(warp, to, lane, old, width);
        // A thread that finds a lock taken, or reads a counter by adding 0, makes no progress.
        warp.progress |= std::memcmp(at, &old, static_cast<std::size_t>(access.element_bytes)) != 0;
    }
}

int occurrences(const ptx::Operand& operand, int index) {
    const bool is_register = operand.kind == ptx::Operand::Kind::reg || operand.base == ptx::Operand::Base::reg;
    int count = is_register && operand.index == index ? 1 : 0;
    for (const ptx::Operand& element : operand.elements) count += occurrences(element, index);
    for (const ptx::Operand& second : operand.second) count += occurrences(second, index);
    return count;
}

/// The number of times that a function's instructions name a register.
int occurrences(const ptx::Function& function, int index) {
    int count = 0;
    for (const ptx::Instruction& instruction : function.instructions)
        for (const ptx::Operand& operand : instruction.operands) count += occurrences(operand, index);
    return count;
}

/// Whether no other instruction names the registers of a result.
bool is_discarded(const ptx::Function& function, const ptx::Operand& result) {
    return std::all_of(result.elements.begin(), result.elements.end(),
                       [&](const ptx::Operand& element) { return is_discarded(function, element); }) &&
           (result.kind != ptx::Operand::Kind::reg || occurrences(function, result.index) <= 1);
}

/// How sm_90 executes the operation in shared memory, where it cannot add floating-point numbers and can only swap 8 bytes.
AtomicKind kind_of(const AtomicAccess& access) {
    if (access.update == Update::compare_and_swap) return AtomicKind::compare_and_swap;
    if (access.update == Update::exchange) return AtomicKind::native;
    const bool is_whole = access.type == ptx::Type::u32 || access.type == ptx::Type::s32 || access.type == ptx::Type::b32;
    return is_whole ? AtomicKind::native : AtomicKind::loop;
}

void execute_atomic(Warp& warp, const DecodedInstruction& instruction) {
    const auto& access = details<AtomicAccess>(instruction);
    find_addresses(warp, instruction, access);
    by_space(warp, access, [&](ptx::StateSpace space, std::uint32_t lanes) {
        const LanePointers pointers = check(warp, space, lanes);
        for (const std::size_t lane : lanes_in(pointers.lanes)) {
            update_lane(warp, instruction, access, lane, pointers.at[lane]);
        }
        warp.access.needs_old = access.needs_old;
        warp.access.atomic = access.counts ? AtomicKind::counting : kind_of(access);
        if (access.is_fused) note_fused_access(warp, access, space, pointers, pointers.lanes);
        else note_access(warp, space, pointers, Operation::atomic, pointers.lanes);
    });
    if (access.poll >= 0) note_poll(warp, access.poll);
}

}  // namespace

bool find_update(const ptx::Instruction& instruction, Update& update) {
    static constexpr std::pair<const char*, Update> names[] = {
        {"add", Update::add},       {"min", Update::minimum},         {"max", Update::maximum}, {"inc", Update::increment},
        {"dec", Update::decrement}, {"and", Update::bit_and},         {"or", Update::bit_or},   {"xor", Update::bit_xor},
        {"exch", Update::exchange}, {"cas", Update::compare_and_swap}};
    for (const auto& [name, which] : names)
        if (instruction.has(name)) {
            update = which;
            return true;
        }
    return false;
}

std::uint64_t update_element(Update update, ptx::Type type, unsigned char* at, std::uint64_t value) {
    AtomicAccess access;
    access.update = update;
    access.type = type;
    access.element_bytes = ptx::bytes_of(type);
    return update_element(access, at, value, 0);
}

bool decode_atomic(Decoder& decoder, const ptx::Instruction& instruction, DecodedInstruction& out) {
    if (instruction.has("async")) return false;
    AtomicAccess access;
    if (!find_update(instruction, access.update) || ptx::bytes_of(instruction.type()) == 0) decoder.refuse(instruction);
    access.space = space_of(instruction);
    access.operation = Operation::atomic;
    access.type = instruction.type();
    access.element_bytes = ptx::bytes_of(access.type);
    access.count = vector_count(instruction);
    access.bytes = access.element_bytes * access.count;
    access.returns = instruction.opcode == "atom";
    note_fusion(decoder, instruction, access);
    if (access.returns) access.poll = decoder.add_poll();
    const std::size_t at = access.returns ? 1 : 0;
    const ptx::Operand& value = instruction.operands.at(at + 1);
    const bool discarded = !access.returns || is_discarded(decoder.function(), instruction.operands.at(0));
    access.counts =
        access.update == Update::add && access.bytes == 4 && value.kind == ptx::Operand::Kind::integer && value.integer == 1 && discarded;
    access.needs_old = access.update != Update::exchange || !discarded;
    if (access.returns) decoder.add_all(out, instruction.operands.at(0), access.type);
    access.value_operand = out.operand_count;
    decoder.add_all(out, instruction.operands.at(at + 1), access.type);
    if (out.operand_count != access.count * (access.returns ? 2 : 1)) decoder.refuse(instruction, "registers");
    access.register_bytes = decoder.register_bytes(instruction.operands.at(at + 1), access.type);
    if (access.update == Update::compare_and_swap) {
        access.second_operand = out.operand_count;
        decoder.add_all(out, instruction.operands.at(at + 2), access.type);
    }
    const AddressOperand address = decoder.address(instruction.operands.at(at), access.space);
    access.offset = address.offset;
    access.base_bytes = address.base_bytes;
    access.base_operand = out.operand_count;
    decoder.add(out, address.base);
    decoder.program().orders_blocks |= access.space != ptx::StateSpace::shared;
    decoder.keep(out, access);
    out.execute = execute_atomic;
    return true;
}

}  // namespace simt::interpreter
