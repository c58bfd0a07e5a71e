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

/// Wraps a function of a double: argument and result flushed if asked for, the result rounded to single precision.
template <class Function> struct Approximate {
    template <bool flushes> struct Operator {
        static constexpr bool costly = true;
        static float of(float a) {
            return finish<flushes, false>(static_cast<float>(Function::of(static_cast<double>(flush_if<flushes>(a)))));
        }
    };
};

struct Sine {
    static double of(double a) { return std::sin(a); }
};
struct Cosine {
    static double of(double a) { return std::cos(a); }
};
struct Logarithm {
    static double of(double a) { return std::log2(a); }
};
struct Exponential {
    static double of(double a) { return std::exp2(a); }
};
struct HyperbolicTangent {
    static double of(double a) { return std::tanh(a); }
};
struct ReciprocalSquareRoot {
    static double of(double a) { return 1.0 / std::sqrt(a); }
};
struct Reciprocal {
    static double of(double a) { return 1.0 / a; }
};
struct SquareRoot {
    static double of(double a) { return std::sqrt(a); }
};

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

template <class Function> struct GrossApproximation {
    static constexpr bool costly = true;
    static double of(double a) {
        const double result = Function::of(flushed_upper_word(a));
        if (result != result) return std::bit_cast<double>(0x7fffffff00000000);
        return flushed_upper_word(result);
    }
};

/// rsqrt.approx.f64.
struct ReciprocalSquareRootOfDouble {
    static double of(double a) { return 1.0 / std::sqrt(a); }
};

bool is_of_float(const ptx::Instruction& instruction) {
    return instruction.type() == Type::f32 && (instruction.has("approx") || instruction.has("full"));
}

template <class Function> Semantics find_unary(const ptx::Instruction& instruction) {
    if (!is_of_float(instruction)) return {};
    const bool flushes = instruction.has("ftz");
    return semantics(flushes ? unary<typename Approximate<Function>::template Operator<true>, float, float>
                             : unary<typename Approximate<Function>::template Operator<false>, float, float>,
                     Type::f32);
}

bool is_of_double(const ptx::Instruction& instruction) { return instruction.has("approx") && instruction.type() == Type::f64; }

}  // namespace

Semantics find_approximate_divide(const ptx::Instruction& instruction) {
    if (!is_of_float(instruction)) return {};
    const bool flushes = instruction.has("ftz");
    if (instruction.has("full"))
        return semantics(flushes ? binary<DivideFull<true>, float, float, float> : binary<DivideFull<false>, float, float, float>,
                         Type::f32);
    return semantics(flushes ? binary<DivideApproximate<true>, float, float, float> : binary<DivideApproximate<false>, float, float, float>,
                     Type::f32);
}

Semantics find_approximate_reciprocal(const ptx::Instruction& instruction) {
    if (!is_of_double(instruction)) return find_unary<Reciprocal>(instruction);
    return instruction.has("ftz") ? semantics(unary<GrossApproximation<Reciprocal>, double, double>, Type::f64) : Semantics{};
}

Semantics find_approximate_reciprocal_square_root(const ptx::Instruction& instruction) {
    if (!is_of_double(instruction)) return find_unary<ReciprocalSquareRoot>(instruction);
    return semantics(instruction.has("ftz") ? unary<GrossApproximation<ReciprocalSquareRoot>, double, double>
                                            : unary<ReciprocalSquareRootOfDouble, double, double>,
                     Type::f64);
}

Semantics find_approximate_square_root(const ptx::Instruction& instruction) { return find_unary<SquareRoot>(instruction); }

Semantics find_approximate_sine(const ptx::Instruction& instruction) { return find_unary<Sine>(instruction); }

Semantics find_approximate_cosine(const ptx::Instruction& instruction) { return find_unary<Cosine>(instruction); }

Semantics find_approximate_logarithm(const ptx::Instruction& instruction) { return find_unary<Logarithm>(instruction); }

Semantics find_approximate_exponential(const ptx::Instruction& instruction) { return find_unary<Exponential>(instruction); }

Semantics find_approximate_hyperbolic_tangent(const ptx::Instruction& instruction) { return find_unary<HyperbolicTangent>(instruction); }

}  // namespace simt::interpreter
