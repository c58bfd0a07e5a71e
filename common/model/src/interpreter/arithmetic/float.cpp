// Single and double precision: operations that IEEE 754 rounds, minimum and maximum, signs, and classes.

#include <cmath>
#include <cstdint>
#include <limits>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/directed.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/lanes.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

template <bool flushes, bool saturates> struct Add {
    template <class F> static F of(F a, F b) { return finish<flushes, saturates>(flush_if<flushes>(a) + flush_if<flushes>(b)); }
};

template <bool flushes, bool saturates> struct Subtract {
    template <class F> static F of(F a, F b) { return finish<flushes, saturates>(flush_if<flushes>(a) - flush_if<flushes>(b)); }
};

template <bool flushes, bool saturates> struct Multiply {
    template <class F> static F of(F a, F b) { return finish<flushes, saturates>(flush_if<flushes>(a) * flush_if<flushes>(b)); }
};

template <bool flushes, bool saturates> struct MultiplyAdd {
    template <class F> static F of(F a, F b, F c) {
        return finish<flushes, saturates>(fused(flush_if<flushes>(a), flush_if<flushes>(b), flush_if<flushes>(c)));
    }
};

/// The same where the processor's rounding mode counts.
template <bool flushes, bool saturates> struct MultiplyAddDirected {
    static constexpr bool costly = true;
    template <class F> static F of(F a, F b, F c) {
        return finish<flushes, saturates>(std::fma(flush_if<flushes>(a), flush_if<flushes>(b), flush_if<flushes>(c)));
    }
};

template <bool flushes, bool saturates> struct Divide {
    template <class F> static F of(F a, F b) { return finish<flushes, saturates>(flush_if<flushes>(a) / flush_if<flushes>(b)); }
};

template <bool flushes, bool saturates> struct Reciprocal {
    template <class F> static F of(F a) { return finish<flushes, saturates>(F{1} / flush_if<flushes>(a)); }
};

template <bool flushes, bool saturates> struct SquareRoot {
    template <class F> static F of(F a) { return finish<flushes, saturates>(std::sqrt(flush_if<flushes>(a))); }
};

template <class F> using BitsOf = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;

template <class F> constexpr BitsOf<F> sign_bit = BitsOf<F>{1} << (8 * sizeof(F) - 1);

template <class F> F with_bits_of(F value, BitsOf<F> keep, BitsOf<F> flip) {
    return std::bit_cast<F>((std::bit_cast<BitsOf<F>>(value) & keep) ^ flip);
}

template <bool flushes, bool> struct Absolute {
    template <class F> static F of(F a) { return with_bits_of(flush_if<flushes>(a), ~sign_bit<F>, 0); }
};

template <bool flushes, bool> struct Negate {
    template <class F> static F of(F a) { return with_bits_of(flush_if<flushes>(a), ~BitsOf<F>{0}, sign_bit<F>); }
};

/// The sign of a, the rest of b.
struct CopySign {
    template <class F> static F of(F a, F b) {
        const BitsOf<F> sign = std::bit_cast<BitsOf<F>>(a) & sign_bit<F>;
        return with_bits_of(b, ~sign_bit<F>, sign);
    }
};

/// The lesser or the greater of two numbers, where -0 is less than +0. A NaN loses, unless `keeps_nan`.
template <bool greater, bool keeps_nan, class F> F extreme(F a, F b) {
    const auto bits_a = std::bit_cast<BitsOf<F>>(a), bits_b = std::bit_cast<BitsOf<F>>(b);
    const F equal = std::bit_cast<F>(greater ? bits_a & bits_b : bits_a | bits_b);
    const bool takes_a = greater ? a > b : a < b;
    const bool takes_b = greater ? b > a : b < a;
    const F nan = canonical(std::numeric_limits<F>::quiet_NaN());
    const F ordered = takes_a ? a : (takes_b ? b : equal);
    const F without_b = keeps_nan ? nan : canonical(a);
    const F without_a = a != a && keeps_nan ? nan : b;
    return b != b ? without_b : (a != a ? without_a : ordered);
}

/// `.xorsign.abs` compares magnitudes and gives the result the product's sign; `.abs` (of three) compares magnitudes.
template <bool greater, bool keeps_nan, bool flushes, bool xors_sign> struct Extreme {
    template <class F> static F of(F a, F b) {
        const F x = flush_if<flushes>(a), y = flush_if<flushes>(b);
        if constexpr (!xors_sign) return extreme<greater, keeps_nan>(x, y);
        const F magnitude = extreme<greater, keeps_nan>(Absolute<false, false>::of(x), Absolute<false, false>::of(y));
        const BitsOf<F> sign = (std::bit_cast<BitsOf<F>>(x) ^ std::bit_cast<BitsOf<F>>(y)) & sign_bit<F>;
        return magnitude != magnitude ? magnitude : with_bits_of(magnitude, ~BitsOf<F>{0}, sign);
    }
};

template <bool greater, bool keeps_nan, bool flushes, bool of_magnitudes> struct ExtremeOfThree {
    static float of(float a, float b, float c) {
        const auto prepared = [](float x) {
            const float flushed = flush_if<flushes>(x);
            return of_magnitudes ? Absolute<false, false>::of(flushed) : flushed;
        };
        return extreme<greater, keeps_nan>(extreme<greater, keeps_nan>(prepared(a), prepared(b)), prepared(c));
    }
};

template <class Operator, class F, std::size_t sources> Execute rounded(Rounding rounding) {
    return in_mode<handler<Operator, F, sources>()>(rounding);
}

template <class Operator, std::size_t sources> Execute rounded_pair(Rounding rounding) {
    return in_mode<packed<Operator, float, sources>>(rounding);
}

/// The handler of an operation in single, double or packed single precision.
template <template <bool, bool> class Operator, std::size_t sources>
Execute find_by_type(const ptx::Instruction& instruction, Type type, Rounding rounding) {
    const bool flushes = instruction.has("ftz"), saturates = instruction.has("sat");
    if (type == Type::f64) return rounded<Operator<false, false>, double, sources>(rounding);
    if (type == Type::f32x2)
        return with_flags([=](auto flush) { return rounded_pair<Operator<flush, false>, sources>(rounding); }, flushes);
    if (type != Type::f32) return nullptr;
    return with_flags([=](auto flush, auto saturate) { return rounded<Operator<flush, saturate>, float, sources>(rounding); }, flushes,
                      saturates);
}

/// Instructions of these types alone; those of one more type have operands of half precision.
bool is_float(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return instruction.type(1) == Type::none && (type == Type::f32 || type == Type::f64 || type == Type::f32x2);
}

template <template <bool, bool> class Operator, std::size_t sources> Semantics find_rounded(const ptx::Instruction& instruction) {
    if (!is_float(instruction)) return {};
    const Rounding rounding = rounding_of(instruction);
    Semantics result = semantics(find_by_type<Operator, sources>(instruction, instruction.type(), rounding), instruction.type());
    result.immediate = static_cast<std::uint64_t>(rounding);
    return result;
}

/// The same of operations that have approximate forms, too.
template <template <bool, bool> class Operator, std::size_t sources> Semantics find_exact(const ptx::Instruction& instruction) {
    return instruction.has("approx") || instruction.has("full") ? Semantics{} : find_rounded<Operator, sources>(instruction);
}

template <bool greater> Semantics find_extreme(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    if (!is_float(instruction) || type == Type::f32x2) return {};
    const bool of_three = instruction.operands.size() == 4;
    const auto of = [=](auto keeps_nan, auto flushes, auto of_magnitudes) -> Execute {
        if (type == Type::f64) return of_three ? nullptr : handler<Extreme<greater, keeps_nan, false, of_magnitudes>, double, 2>();
        return of_three ? handler<ExtremeOfThree<greater, keeps_nan, flushes, of_magnitudes>, float, 3>()
                        : handler<Extreme<greater, keeps_nan, flushes, of_magnitudes>, float, 2>();
    };
    return semantics(with_flags(of, instruction.has("NaN"), instruction.has("ftz"), instruction.has("abs")), type);
}

/// testp: whether a number is of a class.
template <class F, class Is> void test(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const F* a = detail::operand<F>(file, instruction, 1);
        write_predicate(file, instruction.operand[0], lanes_where<F>([=](int lane) { return Is{}(a[lane]); }));
    }
}

}  // namespace

SIMT_FINDER(find_float_add, find_rounded<Add, 2>)
SIMT_FINDER(find_float_subtract, find_rounded<Subtract, 2>)
SIMT_FINDER(find_float_multiply, find_rounded<Multiply, 2>)
SIMT_FINDER(find_float_absolute, find_rounded<Absolute, 1>)
SIMT_FINDER(find_float_negate, find_rounded<Negate, 1>)
SIMT_FINDER(find_float_divide, find_exact<Divide, 2>)
SIMT_FINDER(find_float_reciprocal, find_exact<Reciprocal, 1>)
SIMT_FINDER(find_float_square_root, find_exact<SquareRoot, 1>)
SIMT_FINDER(find_float_minimum, find_extreme<false>)
SIMT_FINDER(find_float_maximum, find_extreme<true>)

/// fma and mad.
Semantics find_float_multiply_add(const ptx::Instruction& instruction) {
    if (instruction.has("oob")) return {};
    return rounding_of(instruction) == Rounding::nearest_even ? find_rounded<MultiplyAdd, 3>(instruction)
                                                              : find_rounded<MultiplyAddDirected, 3>(instruction);
}

Semantics find_float_copy_sign(const ptx::Instruction& instruction) {
    if (!is_float(instruction)) return {};
    const Type type = instruction.type();
    return semantics(type == Type::f64 ? handler<CopySign, double, 2>() : handler<CopySign, float, 2>(), type);
}

Semantics find_float_test(const ptx::Instruction& instruction) {
    if (!is_float(instruction)) return {};
    const Type type = instruction.type();
    const auto of = [&](auto is) -> Execute { return type == Type::f64 ? test<double, decltype(is)> : test<float, decltype(is)>; };
    Execute execute = nullptr;
    if (instruction.has("finite")) execute = of([](auto a) { return std::isfinite(a); });
    if (instruction.has("infinite")) execute = of([](auto a) { return std::isinf(a); });
    if (instruction.has("number")) execute = of([](auto a) { return a == a; });
    if (instruction.has("notanumber")) execute = of([](auto a) { return a != a; });
    if (instruction.has("normal")) execute = of([](auto a) { return std::isnormal(a); });
    if (instruction.has("subnormal")) execute = of([](auto a) { return std::fpclassify(a) == FP_SUBNORMAL; });
    return semantics(execute, Type::pred, type);
}

}  // namespace simt::interpreter
