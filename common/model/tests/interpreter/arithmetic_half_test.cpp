#include <algorithm>
#include <cmath>
#include <limits>

#include "arithmetic_bench.hpp"
#include "small_formats.hpp"

namespace simt::interpreter::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

const Table& f16() {
    static const Table table(5, 10, true);
    return table;
}

const Table& bf16() {
    static const Table table(8, 7, true);
    return table;
}

bool is_last_bit_set(long double value) {
    int exponent = 0;
    return std::fmod(std::ldexp(std::frexp(value, &exponent), std::numeric_limits<long double>::digits), 2) != 0;
}

/// All operations in long double, which has 64 bits at least and holds f16's sums and products exactly. bf16's sums are rounded to odd: the
/// missing part decides only ties, and no tie is odd.
long double exact_sum(long double a, long double b) {
    const long double sum = a + b, part = sum - a;
    const long double error = (a - (sum - part)) + (b - part);
    if (!std::isfinite(sum) || error == 0) return sum;
    const bool is_too_large = (error < 0) != (sum < 0);
    const long double toward_zero = is_too_large ? std::nextafter(sum, 0.0L) : sum;
    return is_last_bit_set(toward_zero) ? toward_zero : std::nextafter(toward_zero, std::copysign(HUGE_VALL, sum));
}

void expect_half_arithmetic(const std::string& type, const Table& table) {
    const auto value = [&](U16 bits) { return static_cast<long double>(table.value(bits)); };
    const auto round = [&](long double x) { return static_cast<U16>(table.round(x, Toward::nearest)); };
    expect_lanes<U16, U16, U16>("add.rn." + type, [=](U16 a, U16 b) { return round(exact_sum(value(a), value(b))); }, SameBits{}, 600);
    expect_lanes<U16, U16, U16>("sub." + type, [=](U16 a, U16 b) { return round(exact_sum(value(a), -value(b))); }, SameBits{}, 600);
    expect_lanes<U16, U16, U16>("mul." + type, [=](U16 a, U16 b) { return round(value(a) * value(b)); }, SameBits{}, 600);
    expect_lanes<U16, U16, U16, U16>(
        "fma.rn." + type, [=](U16 a, U16 b, U16 c) { return round(exact_sum(value(a) * value(b), value(c))); }, SameBits{}, 3000);
    expect_lanes<U16, U16, U16, U16>(
        "fma.rn.relu." + type,
        [=](U16 a, U16 b, U16 c) {
            const long double result = exact_sum(value(a) * value(b), value(c));
            return result <= 0 ? U16{0} : round(result);
        },
        SameBits{}, 600);
    expect_lanes<U16, U16>("neg." + type, [](U16 a) { return static_cast<U16>(a ^ 0x8000); });
    expect_lanes<U16, U16>("abs." + type, [](U16 a) { return static_cast<U16>(a & 0x7fff); });
    const auto lesser = [=](U16 a, U16 b) {
        if (std::isnan(value(a)) && std::isnan(value(b))) return U16{0x7fff};
        if (std::isnan(value(a)) || std::isnan(value(b))) return std::isnan(value(a)) ? b : a;
        if (value(a) == value(b)) return static_cast<U16>(a | b);
        return value(a) < value(b) ? a : b;
    };
    const auto flip = [](U16 a) { return static_cast<U16>(a ^ 0x8000); };
    const auto greater = [=](U16 a, U16 b) {
        const U16 result = flip(lesser(flip(a), flip(b)));
        return std::isnan(value(result)) ? U16{0x7fff} : result;
    };
    expect_lanes<U16, U16, U16>("min." + type, lesser, SameBits{}, 600);
    expect_lanes<U16, U16, U16>("max." + type, greater, SameBits{}, 600);
    expect_lanes<U16, U16, U16>(
        "max.NaN." + type, [=](U16 a, U16 b) { return std::isnan(value(a)) || std::isnan(value(b)) ? U16{0x7fff} : greater(a, b); },
        SameBits{}, 600);
    expect_lanes<U16, U16, U16>(
        "min.xorsign.abs." + type,
        [=](U16 a, U16 b) {
            const U16 result = lesser(static_cast<U16>(a & 0x7fff), static_cast<U16>(b & 0x7fff));
            return std::isnan(value(result)) ? result : static_cast<U16>(result | ((a ^ b) & 0x8000));
        },
        SameBits{}, 600);
}

TEST(HalfPrecision, RoundsOnce) {
    expect_half_arithmetic("f16", f16());
    expect_half_arithmetic("bf16", bf16());
}

TEST(HalfPrecision, FusesWithoutRoundingTwice) {
    // The product is half of an ulp above 1, the sum a little above or below that.
    Bench bench;
    const auto run = [&](U16 a, U16 b, U16 c) {
        bench.at<U16>(1)[0] = a, bench.at<U16>(2)[0] = b, bench.at<U16>(3)[0] = c;
        EXPECT_TRUE(bench.run(instruction_of("fma.rn.bf16"), {0, 1, 2, 3}, 1));
        return bench.at<U16>(0)[0];
    };
    // 1.5 * 1.1875 = 1.78125 = 228 / 128 exactly; 1.015625 * 1.25 = 1.26953125 is 162.5 / 128.
    EXPECT_EQ(run(0x3f82, 0x3fa0, 0x0080), 0x3fa3);
    EXPECT_EQ(run(0x3f82, 0x3fa0, 0x8080), 0x3fa2);
    EXPECT_EQ(run(0x3f82, 0x3fa0, 0x0000), 0x3fa2);
}

/// The bits are those that an H200 takes for an element outside a tensor.
TEST(HalfPrecision, MultipliesElementsOutsideATensorToZero) {
    Bench bench;
    const auto run = [&](const char* text, U16 a, U16 b, U16 c) {
        bench.at<U16>(1)[0] = a, bench.at<U16>(2)[0] = b, bench.at<U16>(3)[0] = c;
        EXPECT_TRUE(bench.run(instruction_of(text), {0, 1, 2, 3}, 1));
        return bench.at<U16>(0)[0];
    };
    for (const U16 outside : {U16{0x7ff7}, U16{0xfff7}}) {
        EXPECT_EQ(run("fma.rn.oob.f16", outside, 0x4000, 0x3c00), 0);
        EXPECT_EQ(run("fma.rn.oob.f16", 0x4000, outside, 0x3c00), 0);
        EXPECT_EQ(run("fma.rn.oob.f16", 0x4000, 0x3c00, outside), 0x7fff);
        EXPECT_EQ(run("fma.rn.oob.relu.bf16", outside, 0x4000, 0x3f80), 0);
        EXPECT_EQ(run("fma.rn.f16", outside, 0x4000, 0x3c00), 0x7fff);
    }
    EXPECT_EQ(run("fma.rn.oob.f16", 0x3c00, 0x4000, 0x3c00), 0x4200);
    EXPECT_EQ(run("fma.rn.oob.f16", 0x7fff, 0x4000, 0x3c00), 0x7fff);
}

TEST(HalfPrecision, SaturatesAndFlushes) {
    const auto value = [](U16 bits) { return static_cast<long double>(f16().value(bits)); };
    const auto flush = [](U16 a) { return (a & 0x7c00) == 0 ? static_cast<U16>(a & 0x8000) : a; };
    const auto round = [](long double x) { return static_cast<U16>(f16().round(x, Toward::nearest)); };
    expect_lanes<U16, U16, U16>(
        "add.sat.f16",
        [=](U16 a, U16 b) {
            const long double sum = value(a) + value(b);
            return sum > 0 ? round(std::min(sum, 1.0L)) : U16{0};
        },
        SameBits{}, 300);
    expect_lanes<U16, U16, U16>(
        "mul.ftz.f16", [=](U16 a, U16 b) { return flush(round(value(flush(a)) * value(flush(b)))); }, SameBits{}, 600);
}

TEST(HalfPrecision, WorksOnPairs) {
    const auto halves = [](U32 a, U32 b, auto f) {
        return static_cast<U32>(f(static_cast<U16>(a >> 16), static_cast<U16>(b >> 16))) << 16 |
               f(static_cast<U16>(a), static_cast<U16>(b));
    };
    expect_lanes<U32, U32, U32>(
        "mul.f16x2",
        [=](U32 a, U32 b) {
            return halves(a, b, [](U16 x, U16 y) {
                return static_cast<U16>(
                    f16().round(static_cast<long double>(f16().value(x)) * static_cast<long double>(f16().value(y)), Toward::nearest));
            });
        },
        SameBits{}, 300);
    expect_lanes<U32, U32, U32>(
        "add.bf16x2",
        [=](U32 a, U32 b) {
            return halves(a, b, [](U16 x, U16 y) {
                return static_cast<U16>(bf16().round(
                    exact_sum(static_cast<long double>(bf16().value(x)), static_cast<long double>(bf16().value(y))), Toward::nearest));
            });
        },
        SameBits{}, 300);
}

TEST(HalfPrecision, ApproximatesWithinAnUlpOrTwo) {
    const auto near = [](U16 result, U16 expected) { return std::abs(static_cast<int>(result) - static_cast<int>(expected)) <= 1; };
    expect_lanes<U16, U16>(
        "ex2.approx.f16",
        [](U16 a) { return static_cast<U16>(f16().round(std::exp2(static_cast<long double>(f16().value(a))), Toward::nearest)); }, near,
        300);
    expect_lanes<U16, U16>(
        "tanh.approx.bf16",
        [](U16 a) { return static_cast<U16>(bf16().round(std::tanh(static_cast<long double>(bf16().value(a))), Toward::nearest)); }, near,
        300);
}

TEST(HalfPrecision, MixesWithSinglePrecision) {
    const auto same = [](float result, float expected) { return SameNumber{}(result, expected); };
    expect_lanes<float, U16, float>("add.f32.f16", [](U16 a, float c) { return static_cast<float>(f16().value(a)) + c; }, same, 200);
    expect_lanes<float, U16, U16, float>(
        "fma.rn.f32.bf16",
        [](U16 a, U16 b, float c) { return std::fma(static_cast<float>(bf16().value(a)), static_cast<float>(bf16().value(b)), c); }, same,
        200);
    EXPECT_EQ(find_lanewise(instruction_of("fma.rn.f32.f16")).types[1], ptx::Type::f16);
    EXPECT_EQ(find_lanewise(instruction_of("fma.rn.f32.f16")).types[3], ptx::Type::f32);
}

}  // namespace
}  // namespace simt::interpreter::test
