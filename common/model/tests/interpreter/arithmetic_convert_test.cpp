#include <algorithm>
#include <cmath>
#include <limits>

#include "arithmetic_bench.hpp"
#include "small_formats.hpp"

namespace simt::interpreter::test {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T> std::string name() {
    if (std::is_floating_point_v<T>) return "f" + std::to_string(8 * sizeof(T));
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// cvt in registers of these widths (0: as wide as the type), from and to the lower bytes; the result is extended.
template <class D, class S, class Reference, class Good = SameBits>
void expect_conversion(const std::string& modifiers, Reference reference, Good good = {}) {
    const std::string text = "cvt" + modifiers + "." + name<D>() + "." + name<S>();
    Bench bench;
    Numbers numbers;
    for (int round = 0; round < 120; ++round) {
        const std::size_t from = std::max(sizeof(S), std::size_t{1} << (round % 4)),
                          to = std::max(sizeof(D), std::size_t{1} << (round / 4 % 4));
        const std::uint32_t active = round % 3 == 0 ? 0x0ff0f00f : all_lanes;
        std::array<S, warp_size> values;
        bench.poison(0), bench.poison(1);
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            values[lane] = numbers.next<S>();
            std::memcpy(bench.at<unsigned char>(1) + lane * from, &values[lane], sizeof(S));
        }
        ASSERT_TRUE(bench.run(instruction_of(text), {0, 1}, active, 0, {static_cast<U8>(to), static_cast<U8>(from)})) << text;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            std::array<unsigned char, 8> bytes{};
            std::memcpy(bytes.data(), bench.at<unsigned char>(0) + lane * to, to);
            if ((active >> lane & 1) == 0) {
                ASSERT_TRUE(std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(to), [](unsigned char b) {
                    return b == 0xa5;
                })) << text;
                continue;
            }
            D result;
            std::memcpy(&result, bytes.data(), sizeof result);
            const D expected = reference(values[lane]);
            ASSERT_TRUE(good(result, expected))
                << text << " " << hexadecimal(values[lane]) << " gives " << hexadecimal(result) << ", expected " << hexadecimal(expected);
            const bool ones = std::is_integral_v<D> && std::is_signed_v<D> && expected < D{};
            for (std::size_t n = sizeof(D); n < to; ++n) ASSERT_EQ(bytes[n], ones ? 255 : 0) << text << " into " << to << " bytes";
        }
    }
}

template <class D, class S> void expect_integer_pair() {
    expect_conversion<D, S>("", [](S a) { return static_cast<D>(a); });
    expect_conversion<D, S>(".sat", [](S a) {
        const Int128 least = std::numeric_limits<D>::min(), greatest = std::numeric_limits<D>::max();
        return static_cast<D>(std::clamp<Int128>(a, least, greatest));
    });
}

template <class D, class... S> void expect_integer_pairs() { (expect_integer_pair<D, S>(), ...); }

TEST(Conversion, OfIntegersWrapsOrSaturates) {
    using std::int8_t, std::int16_t, std::int32_t, std::int64_t;
    expect_integer_pairs<U8, U8, int8_t, U16, int16_t, U32, int32_t, U64, int64_t>();
    expect_integer_pairs<int8_t, U8, int16_t, U32, int64_t>();
    expect_integer_pairs<U16, int8_t, int16_t, int32_t, U64>();
    expect_integer_pairs<int16_t, int8_t, U8, U32, int32_t>();
    expect_integer_pairs<U32, int8_t, U16, int32_t, U64, int64_t>();
    expect_integer_pairs<int32_t, int8_t, int16_t, U32, U64, int64_t>();
    expect_integer_pairs<U64, int8_t, U32, int32_t, int64_t>();
    expect_integer_pairs<int64_t, int8_t, U16, U32, int32_t, U64>();
}

template <class D, class S> D integer_of(S value) {
    if (std::isnan(value)) {
        const bool zero = sizeof(S) < 8 && sizeof(D) < 8;
        return zero ? D{0} : static_cast<D>(U64{1} << (8 * sizeof(D) - 1));
    }
    const auto wide = static_cast<long double>(value);
    if (wide <= static_cast<long double>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    if (wide >= static_cast<long double>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    return static_cast<D>(value);
}

template <class D, class S> void expect_float_to_integer() {
    expect_conversion<D, S>(".rzi", [](S a) { return integer_of<D>(std::trunc(a)); });
    expect_conversion<D, S>(".rni", [](S a) { return integer_of<D>(std::nearbyint(a)); });
    expect_conversion<D, S>(".rmi", [](S a) { return integer_of<D>(std::floor(a)); });
    expect_conversion<D, S>(".rpi", [](S a) { return integer_of<D>(std::ceil(a)); });
}

TEST(Conversion, ToIntegersSaturates) {
    expect_float_to_integer<std::int32_t, float>();
    expect_float_to_integer<U32, float>();
    expect_float_to_integer<std::int64_t, float>();
    expect_float_to_integer<U64, float>();
    expect_float_to_integer<std::int8_t, float>();
    expect_float_to_integer<U16, float>();
    expect_float_to_integer<std::int32_t, double>();
    expect_float_to_integer<U32, double>();
    expect_float_to_integer<std::int64_t, double>();
    expect_float_to_integer<U64, double>();
    expect_conversion<std::int32_t, float>(
        ".rpi.ftz", [](float a) { return integer_of<std::int32_t>(std::ceil(std::fpclassify(a) == FP_SUBNORMAL ? 0.0F : a)); });
}

/// The number of F at or next to an integer, by comparison of exact integers.
template <class F, class S> F float_of(S value, Toward mode) {
    const auto exact = static_cast<Int128>(value);
    F below = static_cast<F>(value);
    const auto wide = [](F x) { return static_cast<Int128>(x); };
    constexpr F infinity = std::numeric_limits<F>::infinity();
    if (wide(below) > exact) below = std::nextafter(below, -infinity);
    if (wide(below) == exact) return below;
    const F above = std::nextafter(below, infinity);
    if (mode == Toward::down || (mode == Toward::zero && exact > 0)) return below;
    if (mode == Toward::up || mode == Toward::zero) return above;
    const Int128 side = 2 * exact - wide(below) - wide(above);
    const bool below_is_even = (bits_of_value(below)[0] & 1) == 0;
    return side < 0 || (side == 0 && below_is_even) ? below : above;
}

template <class F, class S> void expect_integer_to_float() {
    expect_conversion<F, S>(".rn", [](S a) { return float_of<F>(a, Toward::nearest); });
    expect_conversion<F, S>(".rz", [](S a) { return float_of<F>(a, Toward::zero); });
    expect_conversion<F, S>(".rm", [](S a) { return float_of<F>(a, Toward::down); });
    expect_conversion<F, S>(".rp", [](S a) { return float_of<F>(a, Toward::up); });
}

TEST(Conversion, OfIntegersToFloatingPointRounds) {
    expect_integer_to_float<float, U8>();
    expect_integer_to_float<float, std::int16_t>();
    expect_integer_to_float<float, std::int32_t>();
    expect_integer_to_float<float, U32>();
    expect_integer_to_float<float, std::int64_t>();
    expect_integer_to_float<float, U64>();
    expect_integer_to_float<double, U32>();
    expect_integer_to_float<double, std::int64_t>();
    expect_integer_to_float<double, U64>();
}

float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffU) : x; }

TEST(Conversion, BetweenSingleAndDoublePrecisionRounds) {
    const auto narrow = [](double a, Toward mode) {
        if (std::isnan(a)) return std::bit_cast<float>(0x7fffffffU);
        float below = static_cast<float>(a);
        constexpr float infinity = std::numeric_limits<float>::infinity();
        if (std::isinf(a) || static_cast<double>(below) == a || mode == Toward::nearest) return below;
        if (static_cast<double>(below) > a) below = std::nextafter(below, -infinity);
        const float above = std::nextafter(below, infinity);
        const bool takes_below = mode == Toward::down || (mode == Toward::zero && a > 0);
        return std::copysign(takes_below ? below : above, static_cast<float>(a));
    };
    expect_conversion<double, float>("", [](float a) { return static_cast<double>(a); }, SameNumber{});
    expect_conversion<float, double>(".rn", [=](double a) { return narrow(a, Toward::nearest); });
    expect_conversion<float, double>(".rz", [=](double a) { return narrow(a, Toward::zero); });
    expect_conversion<float, double>(".rm", [=](double a) { return narrow(a, Toward::down); });
    expect_conversion<float, double>(".rp", [=](double a) { return narrow(a, Toward::up); });
    expect_conversion<float, float>(".rni", [](float a) { return canonical(std::nearbyint(a)); });
    expect_conversion<float, float>(".rpi", [](float a) { return canonical(std::ceil(a)); });
    expect_conversion<float, float>(".sat", [](float a) { return a > 0 ? std::fmin(a, 1.0F) : 0.0F; });
    expect_conversion<double, double>(".rmi", [](double a) { return std::floor(a); }, SameNumber{});
}

struct SmallType {
    const char* name;
    Table table;
};

const SmallType& small(int n) {
    static const SmallType types[] = {{"f16", Table(5, 10, true)},         {"bf16", Table(8, 7, true)},
                                      {"e4m3", Table(4, 3, false)},        {"e5m2", Table(5, 2, true)},
                                      {"e2m3", Table(2, 3, false, false)}, {"e3m2", Table(3, 2, false, false)},
                                      {"e2m1", Table(2, 1, false, false)}};
    return types[n];
}

TEST(Conversion, ToHalfRoundsInEachMode) {
    const std::pair<const char*, Toward> modes[] = {
        {"rn", Toward::nearest}, {"rz", Toward::zero}, {"rm", Toward::down}, {"rp", Toward::up}};
    for (int n = 0; n < 2; ++n)
        for (const auto& [mode_name, mode_value] : modes) {
            const Toward mode = mode_value;
            const std::string begin = std::string("cvt.") + mode_name + "." + small(n).name;
            const auto round = [=](auto a) { return static_cast<U16>(small(n).table.round(static_cast<long double>(a), mode)); };
            expect_lanes<U16, float>(begin + ".f32", round, SameBits{}, 300);
            expect_lanes<U16, double>(begin + ".f64", round, SameBits{}, 300);
            expect_lanes<U16, std::int64_t>(begin + ".s64", round, SameBits{}, 300);
            expect_lanes<U16, U64>(begin + ".u64", round, SameBits{}, 300);
            expect_lanes<U16, std::int16_t>(begin + ".s16", round, SameBits{}, 100);
        }
    expect_lanes<U16, float>(
        "cvt.rn.relu.satfinite.f16.f32",
        [](float a) { return static_cast<U16>(a <= 0 ? 0 : small(0).table.round(static_cast<long double>(a), Toward::nearest, true)); },
        SameBits{}, 300);
}

TEST(Conversion, FromHalfIsExact) {
    const auto same = [](float result, float expected) { return SameBits{}(result, canonical(expected)); };
    expect_lanes<float, U16>("cvt.f32.f16", [](U16 a) { return static_cast<float>(small(0).table.value(a)); }, same, 2000);
    expect_lanes<float, U16>("cvt.f32.bf16", [](U16 a) { return static_cast<float>(small(1).table.value(a)); }, same, 2000);
    expect_lanes<double, U16>("cvt.f64.f16", [](U16 a) { return small(0).table.value(a); }, SameNumber{}, 300);
    expect_lanes<std::int32_t, U16>(
        "cvt.rni.s32.f16", [](U16 a) { return integer_of<std::int32_t>(static_cast<float>(std::nearbyint(small(0).table.value(a)))); },
        SameBits{}, 300);
}

TEST(Conversion, ToPairsPutsTheFirstSourceOnTop) {
    const auto expect = [](const char* text, int n, int bits, bool finite, bool rectifies, auto zero) {
        using D = decltype(zero);
        expect_lanes<D, float, float>(
            text,
            [=](float a, float b) {
                const auto one = [=](float x) {
                    return small(n).table.round(rectifies && x <= 0 ? 0.0L : static_cast<long double>(x), Toward::nearest, finite);
                };
                return static_cast<D>(one(a) << bits | one(b));
            },
            SameBits{}, 300);
    };
    expect("cvt.rn.f16x2.f32", 0, 16, false, false, U32{});
    expect("cvt.rn.bf16x2.f32", 1, 16, false, false, U32{});
    expect("cvt.rn.relu.bf16x2.f32", 1, 16, false, true, U32{});
    expect("cvt.rn.satfinite.e4m3x2.f32", 2, 8, true, false, U16{});
    expect("cvt.rn.satfinite.relu.e5m2x2.f32", 3, 8, true, true, U16{});
    expect("cvt.rn.satfinite.e2m3x2.f32", 4, 8, true, false, U16{});
    expect("cvt.rn.satfinite.e3m2x2.f32", 5, 8, true, false, U16{});
    expect("cvt.rn.satfinite.e2m1x2.f32", 6, 4, true, false, U8{});
}

TEST(Conversion, BetweenPackedFormatsKeepsPlaces) {
    const auto to_half = [](int from) {
        return [=](U16 a) {
            const auto one = [=](U32 x) {
                return small(0).table.round(static_cast<long double>(small(from).table.value(x)), Toward::nearest);
            };
            return one(a >> 8) << 16 | one(a & 255);
        };
    };
    expect_lanes<U32, U16>("cvt.rn.f16x2.e4m3x2", to_half(2), SameBits{}, 2000);
    expect_lanes<U32, U16>("cvt.rn.f16x2.e5m2x2", to_half(3), SameBits{}, 2000);
    expect_lanes<U16, U32>(
        "cvt.rn.satfinite.e4m3x2.f16x2",
        [](U32 a) {
            const auto one = [](U32 x) {
                return small(2).table.round(static_cast<long double>(small(0).table.value(x)), Toward::nearest, true);
            };
            return static_cast<U16>(one(a >> 16) << 8 | one(a & 0xffff));
        },
        SameBits{}, 2000);
}

TEST(Conversion, ToTf32RoundsAway) {
    static const Table table(8, 10, true);
    expect_lanes<U32, float>(
        "cvt.rna.tf32.f32",
        [](float a) { return std::isnan(a) ? 0x7fffffffU : table.round(static_cast<long double>(a), Toward::nearest_away) << 13; },
        SameBits{}, 600);
    expect_lanes<U32, float>(
        "cvt.rz.relu.tf32.f32",
        [](float a) { return std::isnan(a) ? 0x7fffffffU
                             : a <= 0      ? 0U
                                           : table.round(static_cast<long double>(a), Toward::zero) << 13; },
        SameBits{}, 600);
}

TEST(Conversion, PacksIntegers) {
    using S32 = std::int32_t;
    const auto clamp = [](S32 x, S32 least, S32 greatest, U32 mask) { return static_cast<U32>(std::clamp(x, least, greatest)) & mask; };
    expect_lanes<U32, S32, S32>("cvt.pack.sat.u16.s32",
                                [=](S32 a, S32 b) { return clamp(a, 0, 65535, 0xffff) << 16 | clamp(b, 0, 65535, 0xffff); });
    expect_lanes<U32, S32, S32, U32>(
        "cvt.pack.sat.s8.s32.b32", [=](S32 a, S32 b, U32 c) { return c << 16 | clamp(a, -128, 127, 255) << 8 | clamp(b, -128, 127, 255); });
    expect_lanes<U32, S32, S32, U32>("cvt.pack.sat.u4.s32.b32",
                                     [=](S32 a, S32 b, U32 c) { return c << 8 | clamp(a, 0, 15, 15) << 4 | clamp(b, 0, 15, 15); });
    expect_lanes<U32, S32, S32, U32>("cvt.pack.sat.s2.s32.b32",
                                     [=](S32 a, S32 b, U32 c) { return c << 4 | clamp(a, -2, 1, 3) << 2 | clamp(b, -2, 1, 3); });
}

}  // namespace
}  // namespace simt::interpreter::test
