// The approximate functions of single and double precision. They are computed more exactly than the PTX ISA promises, so their bits
// can differ from a GPU's.

#include <cmath>
#include <cstdint>
#include <limits>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/lanes.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

/// A function of a double: argument and result flushed if asked for, the result rounded to single precision.
template <auto function, bool flushes> struct Approximate {
    static constexpr bool costly = true;
    static float of(float a) { return finish<flushes, false>(static_cast<float>(function(static_cast<double>(flush_if<flushes>(a))))); }
};

constexpr auto sine = [](double a) { return std::sin(a); };
constexpr auto cosine = [](double a) { return std::cos(a); };
constexpr auto logarithm = [](double a) { return std::log2(a); };
constexpr auto exponential = [](double a) { return std::exp2(a); };
constexpr auto hyperbolic_tangent = [](double a) { return std::tanh(a); };
constexpr auto reciprocal_square_root = [](double a) { return 1.0 / std::sqrt(a); };
constexpr auto reciprocal = [](double a) { return 1.0 / a; };
constexpr auto square_root = [](double a) { return std::sqrt(a); };

/// div.full: within 2 ulp everywhere.
template <bool flushes> struct DivideFull {
    static float of(float a, float b) { return finish<flushes, false>(flush_if<flushes>(a) / flush_if<flushes>(b)); }
};

/// div.approx is a times the reciprocal of b, which is lost for b above 2^126.
template <bool flushes> struct DivideApproximate {
    static float of(float a, float b) {
        const float x = flush_if<flushes>(a), y = flush_if<flushes>(b);
        const bool is_lost = std::fabs(y) > 0x1p126F && std::fabs(y) <= std::numeric_limits<float>::max();
        return finish<flushes, false>(is_lost ? x * std::copysign(0.0F, y) : x / y);
    }
};

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read only the upper word of their argument, and their result has only an upper word.
constexpr std::uint64_t upper_word = 0xffffffff00000000;

double flushed_upper_word(double value) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) & upper_word;
    return std::bit_cast<double>((bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}

template <auto function> struct GrossApproximation {
    static constexpr bool costly = true;
    static double of(double a) {
        const double result = function(flushed_upper_word(a));
        if (result != result) return std::bit_cast<double>(0x7fffffff00000000);
        return flushed_upper_word(result);
    }
};

/// rsqrt.approx.f64.
struct ReciprocalSquareRootOfDouble {
    static double of(double a) { return reciprocal_square_root(a); }
};

bool is_of_float(const ptx::Instruction& instruction) {
    return instruction.type() == Type::f32 && (instruction.has("approx") || instruction.has("full"));
}

template <auto function> Semantics find_unary(const ptx::Instruction& instruction) {
    if (!is_of_float(instruction)) return {};
    return semantics(
        with_flags([](auto flushes) -> Execute { return lanewise<Approximate<function, flushes>, float, float>; }, instruction.has("ftz")),
        Type::f32);
}

bool is_of_double(const ptx::Instruction& instruction) { return instruction.has("approx") && instruction.type() == Type::f64; }

}  // namespace

Semantics find_approximate_divide(const ptx::Instruction& instruction) {
    if (!is_of_float(instruction)) return {};
    const bool flushes = instruction.has("ftz");
    if (instruction.has("full"))
        return semantics(flushes ? lanewise<DivideFull<true>, float, float, float> : lanewise<DivideFull<false>, float, float, float>,
                         Type::f32);
    return semantics(
        flushes ? lanewise<DivideApproximate<true>, float, float, float> : lanewise<DivideApproximate<false>, float, float, float>,
        Type::f32);
}

Semantics find_approximate_reciprocal(const ptx::Instruction& instruction) {
    if (!is_of_double(instruction)) return find_unary<reciprocal>(instruction);
    return instruction.has("ftz") ? semantics(lanewise<GrossApproximation<reciprocal>, double, double>, Type::f64) : Semantics{};
}

Semantics find_approximate_reciprocal_square_root(const ptx::Instruction& instruction) {
    if (!is_of_double(instruction)) return find_unary<reciprocal_square_root>(instruction);
    return semantics(instruction.has("ftz") ? lanewise<GrossApproximation<reciprocal_square_root>, double, double>
                                            : lanewise<ReciprocalSquareRootOfDouble, double, double>,
                     Type::f64);
}

SIMT_FINDER(find_approximate_square_root, find_unary<square_root>)
SIMT_FINDER(find_approximate_sine, find_unary<sine>)
SIMT_FINDER(find_approximate_cosine, find_unary<cosine>)
SIMT_FINDER(find_approximate_logarithm, find_unary<logarithm>)
SIMT_FINDER(find_approximate_exponential, find_unary<exponential>)
SIMT_FINDER(find_approximate_hyperbolic_tangent, find_unary<hyperbolic_tangent>)

}  // namespace simt::interpreter
