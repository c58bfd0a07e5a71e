// setp and set: comparisons, combined with a third predicate where the instruction has one.

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/half.hpp"
#include "interpreter/arithmetic/lanes.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

struct Equal {
    template <class T> static bool of(T a, T b) { return a == b; }
};
/// Of integers, and `neu` of floating point.
struct NotEqual {
    template <class T> static bool of(T a, T b) { return a != b; }
};
/// `ne` of floating point: false for NaN.
struct OrderedNotEqual {
    template <class T> static bool of(T a, T b) { return (a < b) | (a > b); }
};
struct Less {
    template <class T> static bool of(T a, T b) { return a < b; }
};
struct LessOrEqual {
    template <class T> static bool of(T a, T b) { return a <= b; }
};
struct Greater {
    template <class T> static bool of(T a, T b) { return a > b; }
};
struct GreaterOrEqual {
    template <class T> static bool of(T a, T b) { return a >= b; }
};
struct BothNumbers {
    template <class T> static bool of(T a, T b) { return (a == a) & (b == b); }
};
/// Negates an order: `ltu` is true where `ge` is false.
template <class Operator> struct Unless {
    template <class T> static bool of(T a, T b) { return !Operator::of(a, b); }
};

/// How a register of T is read as the number that is compared.
template <class T> struct AsIs {
    using Register = T;
    static T read(T value) { return value; }
};
struct FlushedFloat {
    using Register = float;
    static float read(float value) { return flush(value); }
};
template <class H, bool flushes> struct FromHalf {
    using Register = H;
    static float read(H value) { return to_float(flush_half_if<flushes>(value)); }
};
template <class H, bool flushes, bool high> struct FromPair {
    using Register = Pair<H>;
    static float read(Pair<H> value) { return to_float(flush_half_if<flushes>(high ? value.high : value.low)); }
};
/// Stands for the two readings of a packed register.
template <class H, bool flushes> struct BothHalves {
    using Low = FromPair<H, flushes, false>;
    using High = FromPair<H, flushes, true>;
};

/// How a comparison is combined with predicate c.
enum class Combination : std::uint8_t { none, logical_and, logical_or, logical_xor };

/// The data for handlers; Semantics::immediate holds its bits.
struct Plan {
    Combination combination = Combination::none;
    /// setp: a second predicate is written, which for packed types is the result of the higher halves.
    bool has_second = false;
    /// set: bytes of the result, or of half of it for packed types.
    std::uint8_t result_bytes = 0;
    std::uint8_t unused = 0;
    /// set: the value of true.
    std::uint32_t true_value = 0;
};
static_assert(sizeof(Plan) == sizeof(std::uint64_t));

std::uint32_t combine(Combination combination, std::uint32_t value, std::uint32_t c) {
    switch (combination) {
        case Combination::logical_and: return value & c;
        case Combination::logical_or: return value | c;
        case Combination::logical_xor: return value ^ c;
        case Combination::none: break;
    }
    return value;
}

/// The lanes where the comparison of two arrays of 32 values holds. Shared by all handlers of the operator and type.
template <class Operator, class T> [[gnu::noinline]] std::uint32_t compare_values(const T* a, const T* b) {
    return lanes_where<T>([=](int lane) { return Operator::of(a[lane], b[lane]); });
}

template <class Reading> [[gnu::noinline]] void read_numbers(const typename Reading::Register* source, float* numbers) {
    for (int lane = 0; lane < warp_size; ++lane) numbers[lane] = Reading::read(source[lane]);
}

/// The lanes where the comparison of two registers, given by their offsets, holds.
template <class Operator, class Reading> std::uint32_t compare(RegisterFile& file, std::uint32_t offset_a, std::uint32_t offset_b) {
    using T = typename Reading::Register;
    const T* a = values<T>(file, offset_a);
    const T* b = values<T>(file, offset_b);
    if constexpr (std::is_same_v<Reading, AsIs<T>>) {
        return compare_values<Operator>(a, b);
    } else {
        alignas(64) float x[warp_size], y[warp_size];
        read_numbers<Reading>(a, x);
        read_numbers<Reading>(b, y);
        return compare_values<Operator>(static_cast<const float*>(x), static_cast<const float*>(y));
    }
}

/// setp p, a, b of a constant b. The constant is the instruction's immediate value, so that it need not be read from each warp's registers.
template <class Operator, class T> void set_predicate_of_constant(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const T* a = values<T>(file, instruction.operand[1]);
        const T b = static_cast<T>(instruction.immediate);
        write_predicate(file, instruction.operand[0], lanes_where<T>([=](int lane) { return Operator::of(a[lane], b); }));
    }
}

/// setp p, a, b, c or p|q, a, b, c, of the comparison's result `first`; q is combined from `second`.
[[gnu::noinline]] void write_predicates(RegisterFile& file, const DecodedInstruction& instruction, std::uint32_t first,
                                        std::uint32_t second) {
    const Plan plan = std::bit_cast<Plan>(instruction.immediate);
    const int c_position = plan.has_second ? 4 : 3;
    const std::uint32_t c = plan.combination == Combination::none ? 0 : read_predicate(file, instruction, c_position);
    write_predicate(file, instruction.operand[0], combine(plan.combination, first, c));
    if (plan.has_second) write_predicate(file, instruction.operand[1], combine(plan.combination, second, c));
}

template <class Operator, class Reading> void set_predicate(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const std::size_t a = std::bit_cast<Plan>(instruction.immediate).has_second ? 2 : 1;
        const std::uint32_t result = compare<Operator, Reading>(file, instruction.operand[a], instruction.operand[a + 1]);
        write_predicates(file, instruction, result, ~result);
    }
}

template <class Operator, class Low, class High> void set_predicates_of_pair(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const std::size_t a = std::bit_cast<Plan>(instruction.immediate).has_second ? 2 : 1;
        const std::uint32_t low = compare<Operator, Low>(file, instruction.operand[a], instruction.operand[a + 1]);
        const std::uint32_t high = compare<Operator, High>(file, instruction.operand[a], instruction.operand[a + 1]);
        write_predicates(file, instruction, low, high);
    }
}

template <class T>
[[gnu::noinline]] void write_truth(RegisterFile& file, std::uint32_t offset, std::uint32_t mask, std::uint32_t true_value) {
    const T value = static_cast<T>(true_value);
    write_lanes(file.active, values<T>(file, offset), [=](int lane) { return (mask & lane_bits<T>[lane]) != 0 ? value : T{0}; });
}

[[gnu::noinline]] void write_truth_of_pair(RegisterFile& file, std::uint32_t offset, std::uint32_t low, std::uint32_t high,
                                           std::uint32_t true_value) {
    write_lanes(file.active, values<std::uint32_t>(file, offset), [=](int lane) {
        return ((low & lane_bits<std::uint32_t>[lane]) != 0 ? true_value : 0) |
               ((high & lane_bits<std::uint32_t>[lane]) != 0 ? true_value << 16 : 0);
    });
}

template <class Operator, class Reading> void set(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        std::uint32_t mask = compare<Operator, Reading>(file, instruction.operand[1], instruction.operand[2]);
        if (plan.combination != Combination::none) mask = combine(plan.combination, mask, read_predicate(file, instruction, 3));
        if (plan.result_bytes == 2) write_truth<std::uint16_t>(file, instruction.operand[0], mask, plan.true_value);
        else write_truth<std::uint32_t>(file, instruction.operand[0], mask, plan.true_value);
    }
}

template <class Operator, class Low, class High> void set_pair(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        std::uint32_t low = compare<Operator, Low>(file, instruction.operand[1], instruction.operand[2]);
        std::uint32_t high = compare<Operator, High>(file, instruction.operand[1], instruction.operand[2]);
        if (plan.combination != Combination::none) {
            const std::uint32_t c = read_predicate(file, instruction, 3);
            low = combine(plan.combination, low, c);
            high = combine(plan.combination, high, c);
        }
        write_truth_of_pair(file, instruction.operand[0], low, high, plan.true_value);
    }
}

/// The handlers of a comparison.
struct Comparison {
    Execute set_predicate = nullptr, set = nullptr;
    /// Of integers.
    Execute set_predicate_of_constant = nullptr;
};

template <class Operator, class Reading> constexpr Comparison make_comparison() {
    if constexpr (requires { typename Reading::Low; })
        return {set_predicates_of_pair<Operator, typename Reading::Low, typename Reading::High>,
                set_pair<Operator, typename Reading::Low, typename Reading::High>};
    else if constexpr (std::is_integral_v<typename Reading::Register>)
        return {set_predicate<Operator, Reading>, set<Operator, Reading>, set_predicate_of_constant<Operator, typename Reading::Register>};
    else return {set_predicate<Operator, Reading>, set<Operator, Reading>};
}

template <class Operator, class Reading> constexpr Comparison comparison = make_comparison<Operator, Reading>();

/// Of integers of unsigned type U and signed type S: `.lo`, `.ls`, `.hi` and `.hs` compare as unsigned whatever the type.
template <class U, class S> Comparison compare_integers(std::string_view name, bool is_signed) {
    if (name == "eq") return comparison<Equal, AsIs<U>>;
    if (name == "ne") return comparison<NotEqual, AsIs<U>>;
    if (name == "lo" || (name == "lt" && !is_signed)) return comparison<Less, AsIs<U>>;
    if (name == "ls" || (name == "le" && !is_signed)) return comparison<LessOrEqual, AsIs<U>>;
    if (name == "hi" || (name == "gt" && !is_signed)) return comparison<Greater, AsIs<U>>;
    if (name == "hs" || (name == "ge" && !is_signed)) return comparison<GreaterOrEqual, AsIs<U>>;
    if (name == "lt") return comparison<Less, AsIs<S>>;
    if (name == "le") return comparison<LessOrEqual, AsIs<S>>;
    if (name == "gt") return comparison<Greater, AsIs<S>>;
    if (name == "ge") return comparison<GreaterOrEqual, AsIs<S>>;
    return {};
}

template <class Reading> Comparison compare_numbers(std::string_view name) {
    if (name == "eq") return comparison<Equal, Reading>;
    if (name == "ne") return comparison<OrderedNotEqual, Reading>;
    if (name == "lt") return comparison<Less, Reading>;
    if (name == "le") return comparison<LessOrEqual, Reading>;
    if (name == "gt") return comparison<Greater, Reading>;
    if (name == "ge") return comparison<GreaterOrEqual, Reading>;
    if (name == "equ") return comparison<Unless<OrderedNotEqual>, Reading>;
    if (name == "neu") return comparison<NotEqual, Reading>;
    if (name == "ltu") return comparison<Unless<GreaterOrEqual>, Reading>;
    if (name == "leu") return comparison<Unless<Greater>, Reading>;
    if (name == "gtu") return comparison<Unless<LessOrEqual>, Reading>;
    if (name == "geu") return comparison<Unless<Less>, Reading>;
    if (name == "num") return comparison<BothNumbers, Reading>;
    if (name == "nan") return comparison<Unless<BothNumbers>, Reading>;
    return {};
}

/// The comparison that `instruction` makes of operands of `type`.
Comparison find_comparison(const ptx::Instruction& instruction, Type type) {
    const std::string_view name = instruction.modifiers.front();
    const bool flushes = instruction.has("ftz");
    switch (type) {
        case Type::b16:
        case Type::u16:
        case Type::s16: return compare_integers<std::uint16_t, std::int16_t>(name, type == Type::s16);
        case Type::b32:
        case Type::u32:
        case Type::s32: return compare_integers<std::uint32_t, std::int32_t>(name, type == Type::s32);
        case Type::b64:
        case Type::u64:
        case Type::s64: return compare_integers<std::uint64_t, std::int64_t>(name, type == Type::s64);
        case Type::f32: return flushes ? compare_numbers<FlushedFloat>(name) : compare_numbers<AsIs<float>>(name);
        case Type::f64: return compare_numbers<AsIs<double>>(name);
        case Type::f16: return flushes ? compare_numbers<FromHalf<Half, true>>(name) : compare_numbers<FromHalf<Half, false>>(name);
        case Type::bf16: return compare_numbers<FromHalf<Bfloat, false>>(name);
        case Type::f16x2: return flushes ? compare_numbers<BothHalves<Half, true>>(name) : compare_numbers<BothHalves<Half, false>>(name);
        case Type::bf16x2: return compare_numbers<BothHalves<Bfloat, false>>(name);
        default: return {};
    }
}

Combination combination_of(const ptx::Instruction& instruction) {
    if (instruction.has("and")) return Combination::logical_and;
    if (instruction.has("or")) return Combination::logical_or;
    return instruction.has("xor") ? Combination::logical_xor : Combination::none;
}

/// The value of true in a result of `type` from operands of `source`.
std::uint32_t true_value_of(Type type, Type source) {
    switch (type) {
        case Type::f32: return 0x3f800000;
        case Type::f16:
        case Type::f16x2: return Half::one;
        case Type::bf16:
        case Type::bf16x2: return Bfloat::one;
        default: return source == Type::f16x2 || source == Type::bf16x2 || ptx::bytes_of(type) == 2 ? 0xffff : ~0U;
    }
}

}  // namespace

Semantics find_set_predicate(const ptx::Instruction& instruction) {
    if (instruction.modifiers.empty()) return {};
    const Type type = instruction.type();
    Plan plan;
    plan.combination = combination_of(instruction);
    plan.has_second = !instruction.operands.empty() && !instruction.operands.front().second.empty();
    const Comparison found = find_comparison(instruction, type);
    const bool is_plain = plan.combination == Combination::none && !plan.has_second && instruction.operands.size() == 3;
    if (is_plain && found.set_predicate_of_constant && instruction.operands[2].kind == ptx::Operand::Kind::integer) {
        Semantics result = semantics(found.set_predicate_of_constant, Type::pred, type, type);
        result.immediate = static_cast<std::uint64_t>(instruction.operands[2].integer);
        return result;
    }
    const Execute execute = found.set_predicate;
    Semantics result = plan.has_second ? semantics(execute, Type::pred, Type::pred, type, type, Type::pred)
                                       : semantics(execute, Type::pred, type, type, Type::pred);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

Semantics find_set(const ptx::Instruction& instruction) {
    if (instruction.modifiers.empty()) return {};
    const Type type = instruction.type(0), source = instruction.type(1);
    Plan plan;
    plan.combination = combination_of(instruction);
    plan.result_bytes = static_cast<std::uint8_t>(ptx::bytes_of(type));
    plan.true_value = true_value_of(type, source);
    Semantics result = semantics(find_comparison(instruction, source).set, type, source, source, Type::pred);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

}  // namespace simt::interpreter
