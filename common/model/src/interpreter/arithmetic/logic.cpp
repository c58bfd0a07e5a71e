// Logic, shifts, and their predicate forms.

#include <cstdint>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

struct And {
    template <class T> static T of(T a, T b) { return static_cast<T>(a & b); }
};

struct Or {
    template <class T> static T of(T a, T b) { return static_cast<T>(a | b); }
};

struct Xor {
    template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); }
};

struct Not {
    template <class T> static T of(T a) { return static_cast<T>(~a); }
};

/// The operator `!` of C.
struct LogicalNot {
    template <class T> static T of(T a) { return a == 0 ? T{1} : T{0}; }
};

struct ShiftLeft {
    template <class T> static T of(T a, std::uint32_t amount) {
        return amount >= bits_of<T> ? T{0} : static_cast<T>(static_cast<Word<T>>(a) << amount);
    }
};

/// Fills with the sign where T is signed.
struct ShiftRight {
    template <class T> static T of(T a, std::uint32_t amount) {
        if (amount < bits_of<T>) return static_cast<T>(a >> amount);
        return a < 0 ? static_cast<T>(~T{0}) : T{0};
    }
};

/// A shift by an amount that is a constant, the same in all lanes.
template <class Operator, class T> void shift_by_constant(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const T* a = detail::operand<T>(file, instruction, 1);
        const std::uint32_t amount = *detail::operand<std::uint32_t>(file, instruction, 2);
        write_lanes(file.active, detail::operand<T>(file, instruction, 0), [=](int lane) { return Operator::of(a[lane], amount); });
    }
}

/// shf: shifts the 64 bits b:a, and keeps the upper word (to the left) or the lower word.
template <bool left, bool clamps> struct FunnelShift {
    static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint32_t amount = clamps ? (c < 32 ? c : 32) : c & 31;
        const std::uint64_t both = std::uint64_t{b} << 32 | a;
        return static_cast<std::uint32_t>(left ? both << amount >> 32 : both >> amount);
    }
};

template <class Operator> void predicate_binary(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        write_predicate(file, instruction.operand[0],
                        Operator::of(read_predicate(file, instruction, 1), read_predicate(file, instruction, 2)));
    }
}

void predicate_not(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        write_predicate(file, instruction.operand[0], ~read_predicate(file, instruction, 1));
    }
}

/// A function of three bits: its value is bit 4a + 2b + c of `table`.
std::uint32_t look_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto entry = [=](unsigned n) { return 0U - (table >> n & 1); };
    const std::uint32_t not_a = (entry(0) & ~b & ~c) | (entry(1) & ~b & c) | (entry(2) & b & ~c) | (entry(3) & b & c);
    const std::uint32_t when_a = (entry(4) & ~b & ~c) | (entry(5) & ~b & c) | (entry(6) & b & ~c) | (entry(7) & b & c);
    return (a & when_a) | (~a & not_a);
}

/// lop3.b32 d, a, b, c, table.
void lookup(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const std::uint32_t* a = detail::operand<std::uint32_t>(file, instruction, 1);
        const std::uint32_t* b = detail::operand<std::uint32_t>(file, instruction, 2);
        const std::uint32_t* c = detail::operand<std::uint32_t>(file, instruction, 3);
        const std::uint32_t table = *detail::operand<std::uint32_t>(file, instruction, 4);
        write_lanes(file.active, detail::operand<std::uint32_t>(file, instruction, 0),
                    [=](int lane) { return look_up(table, a[lane], b[lane], c[lane]); });
    }
}

constexpr std::uint64_t combines_with_and = 1;

/// lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q. The operands are more than six.
void lookup_with_predicate(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const std::uint32_t* operands = instruction.operands;
        const std::uint32_t* a = values<std::uint32_t>(file, operands[2]);
        const std::uint32_t* b = values<std::uint32_t>(file, operands[3]);
        const std::uint32_t* c = values<std::uint32_t>(file, operands[4]);
        const std::uint32_t table = *values<std::uint32_t>(file, operands[5]);
        alignas(64) std::uint32_t result[warp_size];
        for (int lane = 0; lane < warp_size; ++lane) result[lane] = look_up(table, a[lane], b[lane], c[lane]);
        write_lanes(file.active, values<std::uint32_t>(file, operands[0]), [&](int lane) { return result[lane]; });
        const std::uint32_t nonzero = lanes_where<std::uint32_t>([&](int lane) { return result[lane] != 0; });
        const std::uint32_t q = predicate(file, operands[6]) ^ ((instruction.negated >> 6 & 1) != 0 ? all_lanes : 0);
        write_predicate(file, operands[1], instruction.immediate == combines_with_and ? nonzero & q : nonzero | q);
    }
}

template <class Operator> Semantics find_binary(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    if (type == Type::pred) return semantics(predicate_binary<Operator>, type);
    return semantics(with_bits(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 2>(); }), type);
}

template <class Operator> Semantics find_unary(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return semantics(with_bits(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 1>(); }), type);
}

template <class Operator> Semantics find_shift(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const bool by_constant = instruction.operands.size() > 2 && instruction.operands[2].kind == ptx::Operand::Kind::integer;
    const Execute execute = with_integer(type, [=](auto zero) -> Execute {
        using T = decltype(zero);
        return by_constant ? shift_by_constant<Operator, T> : lanewise<Operator, T, T, std::uint32_t>;
    });
    return semantics(execute, type, type, Type::u32);
}

}  // namespace

SIMT_FINDER(find_and, find_binary<And>)
SIMT_FINDER(find_or, find_binary<Or>)
SIMT_FINDER(find_xor, find_binary<Xor>)

Semantics find_not(const ptx::Instruction& instruction) {
    return instruction.type() == Type::pred ? semantics(predicate_not, Type::pred) : find_unary<Not>(instruction);
}

SIMT_FINDER(find_logical_not, find_unary<LogicalNot>)
SIMT_FINDER(find_shift_left, find_shift<ShiftLeft>)
SIMT_FINDER(find_shift_right, find_shift<ShiftRight>)

Semantics find_funnel_shift(const ptx::Instruction& instruction) {
    const auto shift = []<class Operator>(Operator) { return handler<Operator, std::uint32_t, 3>(); };
    const bool clamps = instruction.has("clamp");
    const Execute left = clamps ? shift(FunnelShift<true, true>{}) : shift(FunnelShift<true, false>{});
    const Execute right = clamps ? shift(FunnelShift<false, true>{}) : shift(FunnelShift<false, false>{});
    return semantics(instruction.has("l") ? left : right, Type::b32, Type::b32, Type::b32, Type::u32);
}

Semantics find_lookup(const ptx::Instruction& instruction) {
    if (!instruction.has("and") && !instruction.has("or")) return semantics(lookup, Type::b32);
    Semantics result = semantics(lookup_with_predicate, Type::b32, Type::pred, Type::b32, Type::b32, Type::b32, Type::b32, Type::pred);
    result.immediate = instruction.has("and") ? combines_with_and : 0;
    return result;
}

}  // namespace simt::interpreter
