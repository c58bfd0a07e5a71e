// cvt among integers of 8 to 64 bits and floating point of 16 to 64 bits. Registers may be wider than the types.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/directed.hpp"
#include "interpreter/arithmetic/encode.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/half.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

/// The modifiers of a conversion; Semantics::immediate holds its bits.
struct Plan {
    Rounding rounding = Rounding::nearest_even;
    bool flushes = false;
    bool saturates = false;
    bool rectifies = false;
    bool to_finite = false;
    /// Rounds to an integer that stays in floating point: .rni and others.
    bool to_integer = false;
    std::uint16_t unused = 0;
};
static_assert(sizeof(Plan) == sizeof(std::uint64_t));

Plan plan_of(const DecodedInstruction& instruction) { return std::bit_cast<Plan>(instruction.immediate); }

template <class T> constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

/// Bytes a lane of operand `n`, whose type has `bytes`.
std::size_t width_of(const DecodedInstruction& instruction, std::size_t n, std::size_t bytes) {
    return std::max<std::size_t>(instruction.width[n], bytes);
}

/// One value of each lane.
template <class T> struct Lanes { alignas(64) T of[warp_size]; };

/// Reads the values of a register of `width` bytes a lane: their lower bytes.
template <class T> [[gnu::noinline]] void read_wider(const unsigned char* source, std::size_t width, Lanes<T>& values) {
    for (std::size_t lane = 0; lane < warp_size; ++lane) std::memcpy(&values.of[lane], source + lane * width, sizeof(T));
}

/// Writes the values of the active lanes in a register of `width` bytes a lane, to which each is extended by its type.
template <class T>
[[gnu::noinline]] void write_wider(std::uint32_t active, unsigned char* destination, std::size_t width, const Lanes<T>& values) {
    for_active(active, [&](int lane) {
        const T value = values.of[lane];
        std::uint64_t bits = 0;
        if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        else std::memcpy(&bits, &value, sizeof value);
        std::memcpy(destination + static_cast<std::size_t>(lane) * width, &bits, width);
    });
}

/// The handler that converts S to D by `Conversion::of(value, plan)`.
template <class Conversion, class D, class S> void convert(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = plan_of(instruction);
        const std::size_t to = width_of(instruction, 0, sizeof(D)), from = width_of(instruction, 1, sizeof(S));
        Lanes<S> narrow;
        Lanes<D> results;
        const S* source = detail::operand<S>(file, instruction, 1);
        D* destination = detail::operand<D>(file, instruction, 0);
        if (from != sizeof(S)) {
            read_wider(file.registers + instruction.operand[1], from, narrow);
            source = narrow.of;
        }
        if (to != sizeof(D)) destination = results.of;
        write_lanes<true>(file.active, destination, [=](int lane) { return Conversion::template of<D>(source[lane], plan); });
        if (to != sizeof(D)) write_wider(file.active, file.registers + instruction.operand[0], to, results);
    }
}

struct IntegerToInteger {
    template <class D, class S> static D of(S value, Plan) { return static_cast<D>(value); }
};

/// `.sat`: to the nearest value that D has.
struct Clamp {
    template <class D, class S> static D of(S value, Plan) { return clamp_to<D>(static_cast<Int128>(value)); }
};

/// In the processor's rounding mode. Zero is +0 in all of them.
template <class F, class S> F float_of(S value) { return value == 0 ? F{0} : static_cast<F>(value); }

/// A double that rounds to a format of at most 51 bits as the integer does.
template <class S> double odd_double_of(S value) {
    if constexpr (sizeof(S) < 8) {
        return static_cast<double>(value);
    } else {
        const bool is_negative = value < 0;
        const auto bits = static_cast<std::uint64_t>(value);
        const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
        const std::uint64_t sticky = (magnitude & 2047) != 0 ? 2048 : 0;
        const std::uint64_t kept = magnitude >> 53 == 0 ? magnitude : (magnitude & ~std::uint64_t{2047}) | sticky;
        return is_negative ? -static_cast<double>(kept) : static_cast<double>(kept);
    }
}

/// To a float or a double, in the processor's rounding mode; to a half.
struct IntegerToFloat {
    template <class D, class S> static D of(S value, Plan plan) {
        if constexpr (is_half<D>) {
            const double exact = odd_double_of(value);
            return encode_half<D>(plan.saturates ? saturate(exact) : exact, plan.rounding, false);
        } else {
            const D result = float_of<D>(value);
            return plan.saturates ? saturate(result) : result;
        }
    }
};

template <class F> F round_to_integer(F value, Rounding rounding) {
    switch (rounding) {
        case Rounding::toward_zero: return std::trunc(value);
        case Rounding::down: return std::floor(value);
        case Rounding::up: return std::ceil(value);
        default: return std::nearbyint(value);
    }
}

/// The integer that a NaN is converted to.
template <class D, class F> constexpr D integer_of_nan() {
    const bool is_zero = !std::is_same_v<F, double> && sizeof(D) < 8;
    return is_zero ? D{0} : static_cast<D>(std::make_unsigned_t<D>{1} << (bits_of<D> - 1));
}

/// To the nearest value that D has.
template <class D, class F> D integer_of(F value) {
    constexpr int digits = std::numeric_limits<D>::digits;
    const F upper = static_cast<F>(std::uint64_t{1} << (digits - 1)) * F{2};
    const F lower = std::is_signed_v<D> ? -upper : F{0};
    const bool is_inside = value >= lower && value < upper;
    const D inside = static_cast<D>(is_inside ? value : F{0});
    const D outside = value < lower ? std::numeric_limits<D>::min() : std::numeric_limits<D>::max();
    const D number = is_inside ? inside : outside;
    return value != value ? integer_of_nan<D, F>() : number;
}

template <bool truncates> struct FloatToInteger {
    template <class D, class S> static D of(S value, Plan plan) {
        if constexpr (is_half<S>) return of<D>(to_float(value), plan);
        else if constexpr (truncates) return integer_of<D>(std::trunc(value));
        else return integer_of<D>(round_to_integer(plan.flushes ? flush_if<true>(value) : value, plan.rounding));
    }
};

template <class S> auto number_of(S value) {
    if constexpr (is_half<S>) return to_float(value);
    else return value;
}

/// Between formats of floating point, or in one (where only modifiers do anything).
struct FloatToFloat {
    template <class D, class S> static D of(S value, Plan plan) {
        auto number = number_of(value);
        if (plan.flushes) number = flush_if<true>(number);
        if (plan.to_integer) number = round_to_integer(number, plan.rounding);
        if (plan.saturates) number = saturate(number);
        if (plan.rectifies && number <= 0) number = 0;
        if constexpr (is_half<D>) {
            return encode_half<D>(static_cast<double>(number), plan.rounding, plan.to_finite);
        } else {
            const D result = static_cast<D>(number);
            if (plan.saturates) return saturate(result);
            return canonical(plan.flushes ? flush_if<true>(result) : result);
        }
    }
};

/// The most frequent conversions, without modifiers.
struct PlainFloatToFloat {
    template <class D, class S> static D of(S value, Plan) {
        if constexpr (is_half<D>) return round_to<D>(static_cast<float>(value));
        else return canonical(static_cast<D>(number_of(value)));
    }
};

/// Calls `f` with a value of the C++ type for an integer type of 8 bits and more, or for a floating-point type.
template <class F> Execute with_number(Type type, F f) {
    switch (type) {
        case Type::b8:
        case Type::u8: return f(std::uint8_t{});
        case Type::s8: return f(std::int8_t{});
        case Type::f16: return f(Half{});
        case Type::bf16: return f(Bfloat{});
        case Type::f32: return f(float{});
        case Type::f64: return f(double{});
        default: return with_integer(type, f);
    }
}

template <class T> constexpr bool is_float = std::is_floating_point_v<T> || is_half<T>;

template <class D, class S> Execute find_integer_to_integer(const Plan& plan) {
    return plan.saturates ? convert<Clamp, D, S> : convert<IntegerToInteger, D, S>;
}

template <class D, class S> Execute find_float_to_integer(const Plan& plan) {
    const bool truncates = plan.rounding == Rounding::toward_zero;
    return truncates ? convert<FloatToInteger<true>, D, S> : convert<FloatToInteger<false>, D, S>;
}

template <class D, class S> Execute find_float_to_float(const Plan& plan) {
    const bool is_plain = plan.rounding == Rounding::nearest_even && !plan.flushes && !plan.saturates && !plan.rectifies &&
                          !plan.to_finite && !plan.to_integer;
    if constexpr (!is_half<D> || std::is_same_v<S, float>)
        if (is_plain) return convert<PlainFloatToFloat, D, S>;
    constexpr Execute base = convert<FloatToFloat, D, S>;
    return plan.to_integer || is_half<D> ? base : in_mode<base>(plan.rounding);
}

template <class D, class S> Execute find_conversion(const Plan& plan) {
    if constexpr (is_float<D> && is_float<S>) return find_float_to_float<D, S>(plan);
    else if constexpr (is_float<S>) return find_float_to_integer<D, S>(plan);
    else if constexpr (is_half<D>) return convert<IntegerToFloat, D, S>;
    else if constexpr (is_float<D>) return in_mode<convert<IntegerToFloat, D, S>>(plan.rounding);
    else return find_integer_to_integer<D, S>(plan);
}

}  // namespace

Semantics find_convert(const ptx::Instruction& instruction) {
    if (instruction.has("pack") || instruction.has("rs")) return {};
    const Type to = instruction.type(0), from = instruction.type(1);
    Plan plan;
    plan.rounding = rounding_of(instruction);
    plan.flushes = instruction.has("ftz");
    plan.saturates = instruction.has("sat");
    plan.rectifies = instruction.has("relu");
    plan.to_finite = instruction.has("satfinite");
    plan.to_integer = instruction.has("rni") || instruction.has("rzi") || instruction.has("rmi") || instruction.has("rpi");
    const Execute execute = with_number(to, [&](auto destination) -> Execute {
        return with_number(from, [&](auto source) -> Execute { return find_conversion<decltype(destination), decltype(source)>(plan); });
    });
    Semantics result = semantics(execute, to, from);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

}  // namespace simt::interpreter
