// Arithmetic of f16, bf16, their packed forms, and of single precision with operands of half precision.

#include <cmath>
#include <cstdint>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/directed.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/half.hpp"
#include "interpreter/arithmetic/lanes.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

// All operators are forced inline, so that the loops over lanes become vectors: the compiler would not inline them by itself.

/// The limit of a result: none, `.sat`, `.relu`.
enum class Limit { none, saturated, rectified };

/// Rounds a sum, a difference or a product that was computed in single precision (which has bits enough that rounding
/// twice does no harm), or a value that was rounded to odd.
template <class H, bool flushes, Limit limit> [[gnu::always_inline]] inline H finish_half(float value) {
    float limited = value;
    if (limit == Limit::saturated) limited = saturate(value);
    if (limit == Limit::rectified) limited = value <= 0 ? 0.0F : value;
    return flush_half_if<flushes>(round_to<H>(limited));
}

template <class H, bool flushes, Limit limit> struct Add {
    [[gnu::always_inline]] static H of(H a, H b) {
        return finish_half<H, flushes, limit>(to_float(flush_half_if<flushes>(a)) + to_float(flush_half_if<flushes>(b)));
    }
};

template <class H, bool flushes, Limit limit> struct Subtract {
    [[gnu::always_inline]] static H of(H a, H b) {
        return finish_half<H, flushes, limit>(to_float(flush_half_if<flushes>(a)) - to_float(flush_half_if<flushes>(b)));
    }
};

template <class H, bool flushes, Limit limit> struct Multiply {
    [[gnu::always_inline]] static H of(H a, H b) {
        return finish_half<H, flushes, limit>(to_float(flush_half_if<flushes>(a)) * to_float(flush_half_if<flushes>(b)));
    }
};

template <class H, bool flushes, Limit limit> struct MultiplyAdd {
    [[gnu::always_inline]] static H of(H a, H b, H c) {
        const auto read = [](H x) { return static_cast<double>(to_float(flush_half_if<flushes>(x))); };
        return finish_half<H, flushes, limit>(narrow_to_odd(add_to_odd(read(a) * read(b), read(c))));
    }
};

/// `.oob`: 0 where a or b is the NaN that stands for an element outside a tensor (these bits on an H200).
template <class H, bool flushes, Limit limit> struct MultiplyAddInBounds {
    [[gnu::always_inline]] static H of(H a, H b, H c) {
        const auto is_outside = [](H x) { return (x.bits & 0x7fff) == 0x7ff7; };
        return is_outside(a) || is_outside(b) ? H{0} : MultiplyAdd<H, flushes, limit>::of(a, b, c);
    }
};

template <class H, bool flushes, Limit> struct Absolute {
    [[gnu::always_inline]] static H of(H a) { return {static_cast<std::uint16_t>(flush_half_if<flushes>(a).bits & 0x7fff)}; }
};

template <class H, bool flushes, Limit> struct Negate {
    [[gnu::always_inline]] static H of(H a) { return {static_cast<std::uint16_t>(flush_half_if<flushes>(a).bits ^ 0x8000)}; }
};

/// Bits in an order that is that of the numbers, -0 below +0.
[[gnu::always_inline]] inline int order_of(std::uint16_t bits) { return (bits & 0x8000) != 0 ? -1 - (bits & 0x7fff) : bits; }

template <bool greater, bool keeps_nan, class H> [[gnu::always_inline]] inline H extreme(H a, H b) {
    const bool nan_a = is_nan(a), nan_b = is_nan(b);
    const bool takes_a = greater == (order_of(a.bits) > order_of(b.bits));
    const H ordered = takes_a ? a : b;
    const H number = nan_a ? b : (nan_b ? a : ordered);
    return (keeps_nan ? nan_a || nan_b : nan_a && nan_b) ? H{canonical_nan_of_half} : number;
}

template <class H, bool greater, bool keeps_nan, bool flushes, bool xors_sign> struct Extreme {
    [[gnu::always_inline]] static H of(H a, H b) {
        const H x = flush_half_if<flushes>(a), y = flush_half_if<flushes>(b);
        if constexpr (!xors_sign) return extreme<greater, keeps_nan>(x, y);
        const auto magnitude = [](H h) { return H{static_cast<std::uint16_t>(h.bits & 0x7fff)}; };
        const H result = extreme<greater, keeps_nan>(magnitude(x), magnitude(y));
        return is_nan(result) ? result : H{static_cast<std::uint16_t>(result.bits | ((x.bits ^ y.bits) & 0x8000))};
    }
};

template <class H, bool flushes, Limit> struct HyperbolicTangent {
    static constexpr bool costly = true;
    static H of(H a) { return round_to<H>(std::tanh(to_float(a))); }
};

template <class H, bool flushes, Limit> struct Exponential {
    static constexpr bool costly = true;
    static H of(H a) { return flush_half_if<flushes>(round_to<H>(std::exp2(to_float(flush_half_if<flushes>(a))))); }
};

/// Instructions of these types alone.
bool is_half(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return instruction.type(1) == Type::none && (type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2);
}

/// Instructions of single precision with operands of half precision.
bool is_mixed(const ptx::Instruction& instruction) {
    return instruction.type() == Type::f32 && (instruction.type(1) == Type::f16 || instruction.type(1) == Type::bf16);
}

/// The handler for `type`, scalar or packed, of an operation on H.
template <class Operator, class H, std::size_t sources> Execute scalar_or_packed(Type type) {
    const bool is_packed = type == Type::f16x2 || type == Type::bf16x2;
    return is_packed ? packed<Operator, H, sources> : handler<Operator, H, sources>();
}

template <template <class, bool, Limit> class Operator, std::size_t sources, bool flushes>
Execute find_f16(const ptx::Instruction& instruction, Type type) {
    if (instruction.has("sat")) return scalar_or_packed<Operator<Half, flushes, Limit::saturated>, Half, sources>(type);
    if (instruction.has("relu")) return scalar_or_packed<Operator<Half, flushes, Limit::rectified>, Half, sources>(type);
    return scalar_or_packed<Operator<Half, flushes, Limit::none>, Half, sources>(type);
}

template <template <class, bool, Limit> class Operator, std::size_t sources> Semantics find_by_type(const ptx::Instruction& instruction) {
    if (!is_half(instruction)) return {};
    const Type type = instruction.type();
    Execute execute = nullptr;
    if (type == Type::f16 || type == Type::f16x2)
        execute = instruction.has("ftz") ? find_f16<Operator, sources, true>(instruction, type)
                                         : find_f16<Operator, sources, false>(instruction, type);
    else if (instruction.has("ftz")) execute = scalar_or_packed<Operator<Bfloat, true, Limit::none>, Bfloat, sources>(type);
    else if (instruction.has("relu")) execute = scalar_or_packed<Operator<Bfloat, false, Limit::rectified>, Bfloat, sources>(type);
    else execute = scalar_or_packed<Operator<Bfloat, false, Limit::none>, Bfloat, sources>(type);
    return semantics(execute, type);
}

template <bool greater> Semantics find_extreme(const ptx::Instruction& instruction) {
    if (!is_half(instruction)) return {};
    const Type type = instruction.type();
    const auto of = [&]<class H>(H) {
        return with_flags([=](auto keeps_nan, auto flushes,
                              auto xors_sign) { return scalar_or_packed<Extreme<H, greater, keeps_nan, flushes, xors_sign>, H, 2>(type); },
                          instruction.has("NaN"), instruction.has("ftz"), instruction.has("xorsign"));
    };
    return semantics(type == Type::f16 || type == Type::f16x2 ? of(Half{}) : of(Bfloat{}), type);
}

/// d = a + c, d = a - c and d = a · b + c in single precision, where a and b are of half precision.
template <bool saturates> struct MixedAdd {
    template <class H> static float of(H a, float c) { return finish<false, saturates>(to_float(a) + c); }
};

template <bool saturates> struct MixedSubtract {
    template <class H> static float of(H a, float c) { return finish<false, saturates>(to_float(a) - c); }
};

template <bool saturates> struct MixedMultiplyAdd {
    static constexpr bool costly = true;
    template <class H> static float of(H a, H b, float c) { return finish<false, saturates>(std::fma(to_float(a), to_float(b), c)); }
};

template <template <bool> class Operator, class H> Execute mixed_binary(const ptx::Instruction& instruction) {
    const Rounding rounding = rounding_of(instruction);
    return instruction.has("sat") ? in_mode<lanewise<Operator<true>, float, H, float>>(rounding)
                                  : in_mode<lanewise<Operator<false>, float, H, float>>(rounding);
}

template <template <bool> class Operator> Semantics find_mixed_binary(const ptx::Instruction& instruction) {
    const Type source = instruction.type(1);
    const Execute execute = source == Type::f16 ? mixed_binary<Operator, Half>(instruction) : mixed_binary<Operator, Bfloat>(instruction);
    return semantics(execute, Type::f32, source, Type::f32);
}

template <class H> Execute mixed_multiply_add(const ptx::Instruction& instruction) {
    const Rounding rounding = rounding_of(instruction);
    return instruction.has("sat") ? in_mode<lanewise<MixedMultiplyAdd<true>, float, H, H, float>>(rounding)
                                  : in_mode<lanewise<MixedMultiplyAdd<false>, float, H, H, float>>(rounding);
}

}  // namespace

Semantics find_half_add(const ptx::Instruction& instruction) {
    return is_mixed(instruction) ? find_mixed_binary<MixedAdd>(instruction) : find_by_type<Add, 2>(instruction);
}

Semantics find_half_subtract(const ptx::Instruction& instruction) {
    return is_mixed(instruction) ? find_mixed_binary<MixedSubtract>(instruction) : find_by_type<Subtract, 2>(instruction);
}

Semantics find_half_multiply_add(const ptx::Instruction& instruction) {
    if (is_mixed(instruction)) {
        const Type source = instruction.type(1);
        return semantics(source == Type::f16 ? mixed_multiply_add<Half>(instruction) : mixed_multiply_add<Bfloat>(instruction), Type::f32,
                         source, source, Type::f32);
    }
    return instruction.has("oob") ? find_by_type<MultiplyAddInBounds, 3>(instruction) : find_by_type<MultiplyAdd, 3>(instruction);
}

SIMT_FINDER(find_half_multiply, find_by_type<Multiply, 2>)
SIMT_FINDER(find_half_absolute, find_by_type<Absolute, 1>)
SIMT_FINDER(find_half_negate, find_by_type<Negate, 1>)
SIMT_FINDER(find_half_hyperbolic_tangent, find_by_type<HyperbolicTangent, 1>)
SIMT_FINDER(find_half_exponential, find_by_type<Exponential, 1>)
SIMT_FINDER(find_half_minimum, find_extreme<false>)
SIMT_FINDER(find_half_maximum, find_extreme<true>)

}  // namespace simt::interpreter
