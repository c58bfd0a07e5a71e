#include <cmath>
#include <limits>

#include "arithmetic_bench.hpp"

namespace simt::interpreter::test {
namespace {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;  // of 113 bits on aarch64
#endif

enum class Mode { nearest, zero, down, up };

/// An exact number as a sum of two, of which the second is below the last bit of the first.
struct Exact { Quad high, low = 0; };

Exact sum(Quad a, Quad b) {
    const Quad high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
}

/// -1, 0 or 1 as `exact` is less than, equal to or greater than `value`.
int compare(const Exact& exact, Quad value) {
    const Quad difference = (exact.high - value) + exact.low;
    return difference < 0 ? -1 : (difference > 0 ? 1 : 0);
}

/// The number of format F that `exact`, which is finite, is rounded to.
template <class F> F round_exact(const Exact& exact, Mode mode, bool zero_is_negative) {
    constexpr F infinity = std::numeric_limits<F>::infinity();
    constexpr F greatest = std::numeric_limits<F>::max();
    if (exact.high == 0) return zero_is_negative ? -F{0} : F{0};
    F below = static_cast<F>(exact.high);
    if (std::isinf(below)) below = below > 0 ? greatest : -infinity;
    if (!std::isinf(below) && compare(exact, below) < 0) below = std::nextafter(below, -infinity);
    if (!std::isinf(below) && compare(exact, below) == 0) return below;
    const F above = std::nextafter(below, infinity);
    const F toward_zero = exact.high < 0 ? above : below;
    const F signed_zero = toward_zero == 0 && exact.high < 0 ? -F{0} : toward_zero;
    if (mode == Mode::zero) return signed_zero;
    if (mode == Mode::down) return below;
    if (mode == Mode::up) return above == 0 && exact.high < 0 ? -F{0} : above;
    // Infinity stands for the number that would follow the greatest.
    const Quad step = static_cast<Quad>(greatest) - static_cast<Quad>(std::nextafter(greatest, F{0}));
    const auto wide = [&](F x) { return std::isinf(x) ? (x > 0 ? 1 : -1) * (static_cast<Quad>(greatest) + step) : static_cast<Quad>(x); };
    const int side = compare(exact, (wide(below) + wide(above)) / 2);
    const bool below_is_even = (bits_of_value(below)[0] & 1) == 0;
    const F nearest = side < 0 || (side == 0 && below_is_even) ? below : above;
    return nearest == 0 && exact.high < 0 ? -F{0} : nearest;
}

/// a · b + c in one rounding, as IEEE 754 defines it.
template <class F> F reference_fma(F a, F b, F c, Mode mode) {
    const F usual = std::fma(a, b, c);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return usual;
    const Quad product = static_cast<Quad>(a) * static_cast<Quad>(b);
    const bool negative_product = std::signbit(a) != std::signbit(b);
    const bool negative = product == 0 && c == 0 && negative_product == std::signbit(c) ? negative_product : mode == Mode::down;
    return round_exact<F>(sum(product, static_cast<Quad>(c)), mode, negative);
}

template <class F> F reference_divide(F a, F b, Mode mode) {
    if (!std::isfinite(a) || !std::isfinite(b) || b == 0) return a / b;
    return round_exact<F>({static_cast<Quad>(a) / static_cast<Quad>(b)}, mode, std::signbit(a) != std::signbit(b));
}

template <class F> F reference_root(F a, Mode mode) {
    if (!(a > 0) || std::isinf(a)) return std::sqrt(a);
    F root = std::sqrt(a);
    const auto square = [](Quad x) { return x * x; };
    while (square(static_cast<Quad>(root)) > static_cast<Quad>(a)) root = std::nextafter(root, F{0});
    if (square(static_cast<Quad>(root)) == static_cast<Quad>(a)) return root;
    const F above = std::nextafter(root, std::numeric_limits<F>::infinity());
    if (mode == Mode::up) return above;
    if (mode != Mode::nearest) return root;
    return square((static_cast<Quad>(root) + static_cast<Quad>(above)) / 2) > static_cast<Quad>(a) ? root : above;
}

/// NaN as on GPUs: the canonical NaN in single precision, any NaN in double precision.
struct Same {
    bool operator()(float result, float expected) const {
        return expected != expected ? std::bit_cast<std::uint32_t>(result) == 0x7fffffff : SameBits{}(result, expected);
    }
    bool operator()(double result, double expected) const { return SameNumber{}(result, expected); }
};

template <class F> void expect_rounded(const std::string& type, const std::string& suffix, Mode mode) {
    const std::string end = "." + suffix + "." + type;
    const F minus_zero = -F{0};
    expect_lanes<F, F, F>("add" + end, [=](F a, F b) { return reference_fma(a, F{1}, b, mode); }, Same{}, 400);
    expect_lanes<F, F, F>("sub" + end, [=](F a, F b) { return reference_fma(a, F{1}, -b, mode); }, Same{}, 400);
    expect_lanes<F, F, F>(
        "mul" + end,
        [=](F a, F b) {
            const F signed_zero = std::signbit(a) != std::signbit(b) ? minus_zero : F{0};
            return reference_fma(a, b, signed_zero, mode);
        },
        Same{}, 400);
    expect_lanes<F, F, F, F>("fma" + end, [=](F a, F b, F c) { return reference_fma(a, b, c, mode); }, Same{}, 2000);
    expect_lanes<F, F, F>("div" + end, [=](F a, F b) { return reference_divide(a, b, mode); }, Same{}, 400);
    expect_lanes<F, F>("rcp" + end, [=](F a) { return reference_divide(F{1}, a, mode); }, Same{}, 400);
    expect_lanes<F, F>("sqrt" + end, [=](F a) { return reference_root(a, mode); }, Same{}, 400);
}

TEST(FloatingPoint, RoundsEachOperationOnceInEachMode) {
    const std::pair<const char*, Mode> modes[] = {{"rn", Mode::nearest}, {"rz", Mode::zero}, {"rm", Mode::down}, {"rp", Mode::up}};
    for (const auto& [name, mode] : modes) {
        expect_rounded<float>("f32", name, mode);
        expect_rounded<double>("f64", name, mode);
    }
}

/// Cases where rounding to double precision first gives a wrong last bit.
TEST(FloatingPoint, FusesWithoutRoundingTwice) {
    Numbers numbers;
    Bench bench;
    for (int round = 0; round < 2000; ++round) {
        for (int lane = 0; lane < warp_size; ++lane) {
            // a · b ends half of an ulp above a float; c is far below.
            const float a = std::ldexp(static_cast<float>(0x800001 | (numbers.random() & 0x7ffffe)), -23);
            const float scale = std::ldexp(1.0F, -1 - static_cast<int>(numbers.random() % 100));
            bench.at<float>(1)[lane] = a;
            bench.at<float>(2)[lane] = 1 + 0x1p-23F * static_cast<float>(numbers.random() % 4);
            bench.at<float>(3)[lane] = (numbers.random() % 2 != 0 ? 0x1p-23F : -0x1p-23F) * scale;
        }
        ASSERT_TRUE(bench.run(instruction_of("fma.rn.f32"), {0, 1, 2, 3}, all_lanes));
        for (int lane = 0; lane < warp_size; ++lane)
            ASSERT_EQ(bench.at<float>(0)[lane],
                      reference_fma(bench.at<float>(1)[lane], bench.at<float>(2)[lane], bench.at<float>(3)[lane], Mode::nearest));
    }
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }
float saturated(float x) { return x > 0 ? (x < 1 ? x : 1.0F) : 0.0F; }

TEST(FloatingPoint, FlushesAndSaturates) {
    expect_lanes<float, float, float>("add.ftz.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); }, Same{}, 300);
    expect_lanes<float, float, float>(
        "mul.ftz.sat.f32", [](float a, float b) { return saturated(flushed(flushed(a) * flushed(b))); }, Same{}, 300);
    expect_lanes<float, float, float, float>(
        "fma.rn.sat.f32", [](float a, float b, float c) { return saturated(std::fma(a, b, c)); }, Same{}, 300);
    expect_lanes<float, float>("rcp.rn.ftz.f32", [](float a) { return flushed(1 / flushed(a)); }, Same{}, 300);
    expect_lanes<float, float>("neg.ftz.f32", [](float a) { return -flushed(a); }, SameNumber{});
    expect_lanes<float, float>("abs.f32", [](float a) { return std::fabs(a); }, SameNumber{});
    expect_lanes<double, double>("neg.f64", [](double a) { return -a; }, SameNumber{});
    expect_lanes<float, float, float>("copysign.f32", [](float a, float b) { return std::copysign(b, a); }, SameNumber{});
}

template <class F> F lesser(F a, F b) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

template <class F> F greater(F a, F b) { return -lesser(-a, -b); }

TEST(FloatingPoint, TakesExtremes) {
    expect_lanes<float, float, float>("min.f32", lesser<float>, Same{}, 200);
    expect_lanes<float, float, float>("max.f32", greater<float>, Same{}, 200);
    expect_lanes<double, double, double>("min.f64", lesser<double>, Same{}, 200);
    expect_lanes<double, double, double>("max.f64", greater<double>, Same{}, 200);
    expect_lanes<float, float, float>("max.ftz.f32", [](float a, float b) { return greater(flushed(a), flushed(b)); }, Same{}, 200);
    expect_lanes<float, float, float>(
        "min.NaN.f32", [](float a, float b) { return a != a || b != b ? std::nanf("") : lesser(a, b); }, Same{}, 200);
    expect_lanes<float, float, float>(
        "max.xorsign.abs.f32",
        [](float a, float b) {
            const float magnitude = greater(std::fabs(a), std::fabs(b));
            return std::copysign(magnitude, std::signbit(a) != std::signbit(b) ? -1.0F : 1.0F);
        },
        Same{}, 200);
    expect_lanes<float, float, float, float>("min.f32", [](float a, float b, float c) { return lesser(lesser(a, b), c); }, Same{}, 200);
}

TEST(FloatingPoint, WorksOnPairs) {
    struct Two { float low, high; };
    const auto two = [](std::uint64_t bits) { return std::bit_cast<Two>(bits); };
    const auto same = [=](std::uint64_t result, std::uint64_t expected) {
        return Same{}(two(result).low, two(expected).low) && Same{}(two(result).high, two(expected).high);
    };
    expect_lanes<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>(
        "fma.rn.f32x2",
        [=](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return std::bit_cast<std::uint64_t>(
                Two{std::fma(two(a).low, two(b).low, two(c).low), std::fma(two(a).high, two(b).high, two(c).high)});
        },
        same, 200);
}

/// Within a relative error, or exact where the result is no normal number.
struct Near {
    double relative, absolute = 0;
    bool operator()(float result, float expected) const {
        if (!std::isnormal(expected)) return Same{}(result, expected) || std::fabs(result - expected) <= std::fmax(absolute, 0x1p-140);
        return std::fabs(static_cast<double>(result) - static_cast<double>(expected)) <=
               std::fmax(std::fabs(static_cast<double>(expected)) * relative, absolute);
    }
};

TEST(Approximations, KeepTheBoundsOfTheDocument) {
    const auto of = [](double (*f)(double)) { return [=](float a) { return static_cast<float>(f(static_cast<double>(a))); }; };
    expect_lanes<float, float>("rcp.approx.f32", [](float a) { return 1 / a; }, Near{0x1p-23}, 300);
    expect_lanes<float, float>("sqrt.approx.f32", [](float a) { return std::sqrt(a); }, Near{0x1p-23}, 300);
    expect_lanes<float, float>("rsqrt.approx.f32", of([](double a) { return 1 / std::sqrt(a); }), Near{0x1.125p-23}, 300);
    expect_lanes<float, float>("ex2.approx.f32", of(std::exp2), Near{0x1p-22}, 300);
    expect_lanes<float, float>("lg2.approx.f32", of(std::log2), Near{0x1p-22, 0x1p-22}, 300);
    expect_lanes<float, float>("sin.approx.f32", of(std::sin), Near{0, 0x1.6ap-21}, 300);
    expect_lanes<float, float>("cos.approx.f32", of(std::cos), Near{0, 0x1.6ap-21}, 300);
    expect_lanes<float, float>("tanh.approx.f32", of(std::tanh), Near{0x1p-11}, 300);
    expect_lanes<float, float, float>("div.full.f32", [](float a, float b) { return a / b; }, Near{0x1p-22}, 300);
    expect_lanes<float, float>("ex2.approx.ftz.f32", [](float a) { return flushed(std::exp2(flushed(a))); }, Near{0x1p-22}, 300);
    expect_lanes<float, float, float>(
        "div.approx.f32", [](float a, float b) { return std::fabs(b) > 0x1p126F ? std::nanf("") : a / b; },
        [](float result, float expected) { return expected != expected || Near{0x1p-22}(result, expected); }, 300);
    Bench bench;
    bench.at<float>(1)[0] = 1.0F, bench.at<float>(2)[0] = 0x1.8p126F;
    ASSERT_TRUE(bench.run(instruction_of("div.approx.f32"), {0, 1, 2}, 1));
    EXPECT_EQ(bench.at<float>(0)[0], 0.0F);
}

TEST(Approximations, OfDoublesKeepTheUpperWord) {
    const auto usual = [](double a) { return std::isnormal(a) || std::isinf(a) ? a : std::copysign(0.0, a); };
    expect_lanes<double, double>(
        "rcp.approx.ftz.f64", [=](double a) { return 1 / usual(a); },
        [](double result, double expected) {
            if ((std::bit_cast<std::uint64_t>(result) & 0xffffffff) != 0) return false;
            if (!std::isnormal(expected))
                return result != result || expected != expected || std::fabs(result) == std::fabs(expected) || result == 0;
            return std::fabs(result - expected) <= 0x1p-19 * std::fabs(expected);
        });
    expect_lanes<double, double>(
        "rsqrt.approx.f64", [](double a) { return 1 / std::sqrt(a); },
        [](double result, double expected) {
            return SameNumber{}(result, expected) || std::fabs(result - expected) <= 0x1p-50 * std::fabs(expected);
        });
}

TEST(Classes, AreTested) {
    const auto expect = [](const std::string& text, auto holds, auto zero) {
        using F = decltype(zero);
        Bench bench;
        Numbers numbers;
        for (int round = 0; round < 100; ++round) {
            for (int lane = 0; lane < warp_size; ++lane) bench.at<F>(1)[lane] = numbers.next<F>();
            *bench.at<std::uint32_t>(0) = 0x12345678;
            ASSERT_TRUE(bench.run(instruction_of(text), {0, 1}, 0xffff00ff));
            for (int lane = 0; lane < warp_size; ++lane) {
                const bool skipped = lane >= 8 && lane < 16;
                const bool expected = skipped ? (0x12345678U >> lane & 1) != 0 : holds(bench.at<F>(1)[lane]);
                ASSERT_EQ((*bench.at<std::uint32_t>(0) >> lane & 1) != 0, expected) << text;
            }
        }
    };
    expect("testp.finite.f32", [](float a) { return std::isfinite(a); }, 0.0F);
    expect("testp.infinite.f64", [](double a) { return std::isinf(a); }, 0.0);
    expect("testp.number.f32", [](float a) { return !std::isnan(a); }, 0.0F);
    expect("testp.notanumber.f64", [](double a) { return std::isnan(a); }, 0.0);
    expect("testp.normal.f32", [](float a) { return std::isnormal(a); }, 0.0F);
    expect("testp.subnormal.f32", [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; }, 0.0F);
}

}  // namespace
}  // namespace simt::interpreter::test
