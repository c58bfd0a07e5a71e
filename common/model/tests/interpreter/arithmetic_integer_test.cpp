#include <algorithm>
#include <limits>

#include "arithmetic_bench.hpp"

namespace simt::interpreter::test {
namespace {

using U16 = std::uint16_t;
using S16 = std::int16_t;
using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;
__extension__ using Uint128 = unsigned __int128;

template <class T> std::string integer_name() { return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T)); }

/// The exact product, which may need all 128 bits of an unsigned type.
template <class T> Uint128 product(T a, T b) {
    return static_cast<Uint128>(static_cast<Int128>(a)) * static_cast<Uint128>(static_cast<Int128>(b));
}

template <class T> void expect_integer_arithmetic() {
    const std::string t = "." + integer_name<T>();
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    const auto clamp_divisor = [](T a, T b) { return static_cast<Int128>(a) / static_cast<Int128>(b); };
    expect_lanes<T, T, T>("add" + t, [](T a, T b) { return static_cast<T>(static_cast<Int128>(a) + b); });
    expect_lanes<T, T, T>("sub" + t, [](T a, T b) { return static_cast<T>(static_cast<Int128>(a) - b); });
    expect_lanes<T, T, T>("mul.lo" + t, [](T a, T b) { return static_cast<T>(product(a, b)); });
    expect_lanes<T, T, T>("mul.hi" + t, [](T a, T b) { return static_cast<T>(product(a, b) >> bits); });
    expect_lanes<T, T, T, T>("mad.lo" + t, [](T a, T b, T c) { return static_cast<T>(product(a, b) + static_cast<Uint128>(c)); });
    expect_lanes<T, T, T, T>("mad.hi" + t, [](T a, T b, T c) { return static_cast<T>((product(a, b) >> bits) + static_cast<Uint128>(c)); });
    expect_lanes<T, T, T>("div" + t, [=](T a, T b) { return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(clamp_divisor(a, b)); });
    expect_lanes<T, T, T>("rem" + t, [](T a, T b) {
        return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(static_cast<Int128>(a) % static_cast<Int128>(b));
    });
    expect_lanes<T, T, T>("min" + t, [](T a, T b) { return std::min(a, b); });
    expect_lanes<T, T, T>("max" + t, [](T a, T b) { return std::max(a, b); });
    expect_lanes<T, T, T, T>("sad" + t, [](T a, T b, T c) {
        const Int128 difference = static_cast<Int128>(a) - b;
        return static_cast<T>(static_cast<Int128>(c) + (difference < 0 ? -difference : difference));
    });
    if constexpr (std::is_signed_v<T>) {
        expect_lanes<T, T>("abs" + t, [](T a) { return static_cast<T>(a < 0 ? -static_cast<Int128>(a) : a); });
        expect_lanes<T, T>("neg" + t, [](T a) { return static_cast<T>(-static_cast<Int128>(a)); });
    }
}

TEST(IntegerArithmetic, IsThatOfExactIntegers) {
    expect_integer_arithmetic<U16>();
    expect_integer_arithmetic<S16>();
    expect_integer_arithmetic<U32>();
    expect_integer_arithmetic<S32>();
    expect_integer_arithmetic<U64>();
    expect_integer_arithmetic<S64>();
}

template <class T, class W> void expect_wide() {
    expect_lanes<W, T, T>("mul.wide." + integer_name<T>(), [](T a, T b) { return static_cast<W>(product(a, b)); });
    expect_lanes<W, T, T, W>("mad.wide." + integer_name<T>(),
                             [](T a, T b, W c) { return static_cast<W>(product(a, b) + static_cast<Uint128>(c)); });
}

TEST(IntegerArithmetic, WidensProducts) {
    expect_wide<U16, U32>();
    expect_wide<S16, S32>();
    expect_wide<U32, U64>();
    expect_wide<S32, S64>();
    const Semantics semantics = find_lanewise(instruction_of("mad.wide.s32"));
    EXPECT_EQ(semantics.types[0], ptx::Type::s64);
    EXPECT_EQ(semantics.types[1], ptx::Type::s32);
    EXPECT_EQ(semantics.types[2], ptx::Type::s32);
    EXPECT_EQ(semantics.types[3], ptx::Type::s64);
}

S32 clamped(Int128 value) {
    return static_cast<S32>(std::clamp<Int128>(value, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max()));
}

TEST(IntegerArithmetic, Saturates) {
    expect_lanes<S32, S32, S32>("add.sat.s32", [](S32 a, S32 b) { return clamped(static_cast<Int128>(a) + b); });
    expect_lanes<S32, S32, S32>("sub.sat.s32", [](S32 a, S32 b) { return clamped(static_cast<Int128>(a) - b); });
    expect_lanes<S32, S32, S32, S32>("mad.hi.sat.s32", [](S32 a, S32 b, S32 c) { return clamped((static_cast<Int128>(a) * b >> 32) + c); });
    expect_lanes<S32, S32, S32>("min.relu.s32", [](S32 a, S32 b) { return std::max(std::min(a, b), 0); });
    expect_lanes<S32, S32, S32>("max.relu.s32", [](S32 a, S32 b) { return std::max({a, b, 0}); });
}

TEST(IntegerArithmetic, MultipliesBy24Bits) {
    const auto low24 = [](S32 x) { return static_cast<Int128>(static_cast<S32>(static_cast<U32>(x) << 8) >> 8); };
    const auto unsigned24 = [](U32 x) { return static_cast<Int128>(x & 0xffffff); };
    expect_lanes<S32, S32, S32>("mul24.lo.s32", [=](S32 a, S32 b) { return static_cast<S32>(low24(a) * low24(b)); });
    expect_lanes<S32, S32, S32>("mul24.hi.s32", [=](S32 a, S32 b) { return static_cast<S32>(low24(a) * low24(b) >> 16); });
    expect_lanes<U32, U32, U32>("mul24.hi.u32", [=](U32 a, U32 b) { return static_cast<U32>(unsigned24(a) * unsigned24(b) >> 16); });
    expect_lanes<U32, U32, U32, U32>("mad24.lo.u32",
                                     [=](U32 a, U32 b, U32 c) { return static_cast<U32>(unsigned24(a) * unsigned24(b) + c); });
    expect_lanes<S32, S32, S32, S32>("mad24.hi.sat.s32", [=](S32 a, S32 b, S32 c) {
        return clamped(static_cast<S32>(low24(a) * low24(b) >> 16) + static_cast<Int128>(c));
    });
}

template <class T, class F> U32 on_halves(U32 a, U32 b, F f) {
    const auto low = static_cast<U16>(f(static_cast<T>(a), static_cast<T>(b)));
    const auto high = static_cast<U16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return static_cast<U32>(high) << 16 | low;
}

TEST(IntegerArithmetic, WorksOnPackedHalves) {
    expect_lanes<U32, U32, U32>("add.u16x2", [](U32 a, U32 b) { return on_halves<U16>(a, b, [](int x, int y) { return x + y; }); });
    expect_lanes<U32, U32, U32>("add.s16x2", [](U32 a, U32 b) { return on_halves<S16>(a, b, [](int x, int y) { return x + y; }); });
    expect_lanes<U32, U32, U32>("min.u16x2",
                                [](U32 a, U32 b) { return on_halves<U16>(a, b, [](int x, int y) { return std::min(x, y); }); });
    expect_lanes<U32, U32, U32>("max.s16x2",
                                [](U32 a, U32 b) { return on_halves<S16>(a, b, [](int x, int y) { return std::max(x, y); }); });
    expect_lanes<U32, U32, U32>("max.relu.s16x2",
                                [](U32 a, U32 b) { return on_halves<S16>(a, b, [](int x, int y) { return std::max({x, y, 0}); }); });
}

TEST(IntegerArithmetic, CarriesThroughWords) {
    Bench bench;
    Numbers numbers;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t active = round % 2 != 0 ? all_lanes : static_cast<std::uint32_t>(numbers.random()) | 1;
        std::array<U64, warp_size> a, b, c;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            a[lane] = numbers.next<U64>(), b[lane] = numbers.next<U64>(), c[lane] = numbers.next<U64>();
            bench.at<U32>(2)[lane] = static_cast<U32>(a[lane]), bench.at<U32>(3)[lane] = static_cast<U32>(a[lane] >> 32);
            bench.at<U32>(4)[lane] = static_cast<U32>(b[lane]), bench.at<U32>(5)[lane] = static_cast<U32>(b[lane] >> 32);
            bench.at<U32>(6)[lane] = static_cast<U32>(c[lane]), bench.at<U32>(7)[lane] = static_cast<U32>(c[lane] >> 32);
        }
        const auto run = [&](const char* text, std::vector<std::size_t> operands) {
            ASSERT_TRUE(bench.run(instruction_of(text), operands, active)) << text;
        };
        const auto result = [&](std::size_t lane) { return static_cast<U64>(bench.at<U32>(1)[lane]) << 32 | bench.at<U32>(0)[lane]; };
        const auto expect = [&](auto reference) {
            for (std::size_t lane = 0; lane < warp_size; ++lane)
                if ((active >> lane & 1) != 0) {
                    ASSERT_EQ(result(lane), reference(a[lane], b[lane], c[lane]));
                }
        };
        const std::uint32_t untouched = bench.file().carry & ~active;
        run("add.cc.u32", {0, 2, 4});
        EXPECT_EQ(bench.file().carry & ~active, untouched);
        run("addc.u32", {1, 3, 5});
        expect([](U64 x, U64 y, U64) { return x + y; });
        run("sub.cc.s32", {0, 2, 4});
        run("subc.cc.s32", {1, 3, 5});
        expect([](U64 x, U64 y, U64) { return x - y; });
        for (std::size_t lane = 0; lane < warp_size; ++lane)
            if ((active >> lane & 1) != 0) {
                ASSERT_EQ(bench.file().carry >> lane & 1, a[lane] < b[lane] ? 1U : 0U);
            }
        // 64 bits of a product: lo·lo + c, with the carries of all parts.
        run("mad.lo.cc.u32", {0, 2, 4, 6});
        run("madc.hi.u32", {1, 2, 4, 7});
        run("mad.lo.u32", {1, 2, 5, 1});
        run("mad.lo.u32", {1, 3, 4, 1});
        expect([](U64 x, U64 y, U64 z) { return x * y + z; });
    }
}

TEST(Logic, IsBitByBit) {
    expect_lanes<U16, U16, U16>("and.b16", [](U16 a, U16 b) { return static_cast<U16>(a & b); });
    expect_lanes<U32, U32, U32>("or.b32", [](U32 a, U32 b) { return a | b; });
    expect_lanes<U64, U64, U64>("xor.b64", [](U64 a, U64 b) { return a ^ b; });
    expect_lanes<U32, U32>("not.b32", [](U32 a) { return ~a; });
    expect_lanes<U16, U16>("cnot.b16", [](U16 a) { return static_cast<U16>(a == 0); });
    expect_lanes<U32, U32, U32>("shl.b32", [](U32 a, U32 b) { return static_cast<U32>(b > 31 ? 0 : static_cast<U64>(a) << b); });
    expect_lanes<U16, U16, U32>("shl.b16", [](U16 a, U32 b) { return static_cast<U16>(b > 15 ? 0 : a << b); });
    expect_lanes<U64, U64, U32>("shr.u64", [](U64 a, U32 b) { return b > 63 ? 0 : a >> b; });
    expect_lanes<S32, S32, U32>("shr.s32", [](S32 a, U32 b) { return a >> std::min(b, 31U); });
    expect_lanes<S16, S16, U32>("shr.s16", [](S16 a, U32 b) { return static_cast<S16>(a >> std::min(b, 15U)); });
    EXPECT_EQ(find_lanewise(instruction_of("shl.b64")).types[2], ptx::Type::u32);
    const auto both = [](U32 a, U32 b) { return static_cast<Uint128>(static_cast<U64>(b) << 32 | a); };
    expect_lanes<U32, U32, U32, U32>("shf.l.clamp.b32",
                                     [=](U32 a, U32 b, U32 c) { return static_cast<U32>(both(a, b) << std::min(c, 32U) >> 32); });
    expect_lanes<U32, U32, U32, U32>("shf.r.wrap.b32", [=](U32 a, U32 b, U32 c) { return static_cast<U32>(both(a, b) >> (c % 32)); });
    expect_lanes<U32, U32, U32, U32>("shf.r.clamp.b32",
                                     [=](U32 a, U32 b, U32 c) { return static_cast<U32>(both(a, b) >> std::min(c, 32U)); });
}

TEST(Logic, LooksUpFunctionsOfThreeBits) {
    const auto reference = [](U32 a, U32 b, U32 c, U32 table) {
        U32 result = 0;
        for (U32 n = 0; n < 32; ++n) {
            const U32 entry = (a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1);
            result |= (table >> entry & 1) << n;
        }
        return result;
    };
    Bench bench;
    Numbers numbers;
    for (U32 table = 0; table < 256; ++table) {
        for (std::size_t n = 2; n < 5; ++n)
            for (int lane = 0; lane < warp_size; ++lane) bench.at<U32>(n)[lane] = numbers.next<U32>();
        std::fill_n(bench.at<U32>(5), warp_size, table);
        ASSERT_TRUE(bench.run(instruction_of("lop3.b32"), {0, 2, 3, 4, 5}, all_lanes));
        *bench.at<U32>(6) = 0x0ff00ff0;
        ASSERT_TRUE(bench.run(instruction_of("lop3.or.b32"), {Bench::sink, 1, 2, 3, 4, 5, 6}, all_lanes, 1U << 6));
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            const U32 expected = reference(bench.at<U32>(2)[lane], bench.at<U32>(3)[lane], bench.at<U32>(4)[lane], table);
            ASSERT_EQ(bench.at<U32>(0)[lane], expected);
            ASSERT_EQ(*bench.at<U32>(1) >> lane & 1, expected != 0 || (0x0ff00ff0U >> lane & 1) == 0 ? 1U : 0U);
        }
    }
}

template <class T> T extract(T a, U32 b, U32 c) {
    constexpr U32 top = 8 * sizeof(T) - 1;
    const U32 position = b & 255, length = c & 255;
    const auto bit = [=](U32 n) { return static_cast<U64>(a) >> n & 1; };
    const U64 sign = !std::is_signed_v<T> || length == 0 ? 0 : bit(std::min(position + length - 1, top));
    U64 result = 0;
    for (U32 n = 0; n <= top; ++n) result |= (n < length && position + n <= top ? bit(position + n) : sign) << n;
    return static_cast<T>(result);
}

template <class T> T insert(T a, T b, U32 c, U32 d) {
    constexpr U32 top = 8 * sizeof(T) - 1;
    T result = b;
    for (U32 n = 0; n < (d & 255) && (c & 255) + n <= top; ++n) {
        const T mask = T{1} << ((c & 255) + n);
        result = (a >> n & 1) != 0 ? result | mask : result & ~mask;
    }
    return result;
}

TEST(BitFields, AreExtractedAndInserted) {
    expect_lanes<U32, U32, U32, U32>("bfe.u32", extract<U32>, SameBits{}, 300);
    expect_lanes<S32, S32, U32, U32>("bfe.s32", extract<S32>, SameBits{}, 300);
    expect_lanes<U64, U64, U32, U32>("bfe.u64", extract<U64>, SameBits{}, 300);
    expect_lanes<S64, S64, U32, U32>("bfe.s64", extract<S64>, SameBits{}, 300);
    expect_lanes<U32, U32, U32, U32, U32>("bfi.b32", insert<U32>, SameBits{}, 300);
    expect_lanes<U64, U64, U64, U32, U32>("bfi.b64", insert<U64>, SameBits{}, 300);
    expect_lanes<S32, S32, U32>("szext.wrap.s32", [](S32 a, U32 b) { return extract<S32>(a, 0, b & 31); });
    expect_lanes<U32, U32, U32>("szext.clamp.u32", [](U32 a, U32 b) { return extract<U32>(a, 0, std::min(b, 32U)); });
    expect_lanes<U32, U32, U32>("bmsk.clamp.b32", [](U32 a, U32 b) { return a > 31 ? 0 : insert<U32>(~0U, 0, a, std::min(b, 32U)); });
    expect_lanes<U32, U32, U32>("bmsk.wrap.b32", [](U32 a, U32 b) { return insert<U32>(~0U, 0, a & 31, b & 31); });
}

template <class T> U32 leading_bit(T a) {
    for (int n = 8 * static_cast<int>(sizeof(T)) - 1; n >= 0; --n)
        if ((static_cast<U64>(a) >> n & 1) == (a < 0 ? 0U : 1U)) return static_cast<U32>(n);
    return ~0U;
}

TEST(BitCounts, AreThoseOfEachLane) {
    const auto ones = [](U64 a) {
        U32 count = 0;
        for (; a != 0; a &= a - 1) ++count;
        return count;
    };
    expect_lanes<U32, U32>("popc.b32", [=](U32 a) { return ones(a); });
    expect_lanes<U32, U64>("popc.b64", [=](U64 a) { return ones(a); });
    expect_lanes<U32, U32>("clz.b32", [](U32 a) { return 31 - leading_bit(a); });
    expect_lanes<U32, U64>("clz.b64", [](U64 a) { return 63 - leading_bit(a); });
    expect_lanes<U32, S32>("bfind.s32", leading_bit<S32>);
    expect_lanes<U32, U64>("bfind.u64", leading_bit<U64>);
    expect_lanes<U32, S64>("bfind.shiftamt.s64", [](S64 a) { return leading_bit(a) == ~0U ? ~0U : 63 - leading_bit(a); });
    expect_lanes<U32, U32>("brev.b32", [](U32 a) {
        U32 r = 0;
        for (U32 n = 0; n < 32; ++n) r |= (a >> n & 1) << (31 - n);
        return r;
    });
    expect_lanes<U64, U64>("brev.b64", [](U64 a) {
        U64 r = 0;
        for (U32 n = 0; n < 64; ++n) r |= (a >> n & 1) << (63 - n);
        return r;
    });
}

TEST(BitCounts, FindTheNthSetBit) {
    expect_lanes<U32, U32, U32, S32>(
        "fns.b32",
        [](U32 mask, U32 base, S32 offset) {
            if (base > 31) return ~0U;
            const U32 rest = offset < 0 ? mask & (~0U >> (31 - base)) : mask >> base << base;
            if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0U;
            std::vector<U32> found;
            for (U32 n = 0; n < 32; ++n)
                if ((rest >> n & 1) != 0) found.push_back(n);
            if (offset < 0) std::reverse(found.begin(), found.end());
            const U64 index = static_cast<U64>(offset < 0 ? -static_cast<S64>(offset) : offset) - 1;
            return index < found.size() ? found[index] : ~0U;
        },
        SameBits{}, 300);
}

TEST(Bytes, ArePermuted) {
    const auto bytes = [](U32 a, U32 b, std::array<U32, 4> selectors) {
        U32 result = 0;
        for (U32 n = 0; n < 4; ++n) {
            const U32 word = (selectors[n] & 4) != 0 ? b : a;
            const U32 byte = word >> 8 * (selectors[n] & 3) & 255;
            result |= ((selectors[n] & 8) == 0 ? byte : (byte >> 7) * 255) << 8 * n;
        }
        return result;
    };
    expect_lanes<U32, U32, U32, U32>("prmt.b32",
                                     [=](U32 a, U32 b, U32 c) { return bytes(a, b, {c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15}); });
    const auto by_mode = [&](const char* mode, auto selector) {
        expect_lanes<U32, U32, U32, U32>(std::string("prmt.b32.") + mode, [=](U32 a, U32 b, U32 c) {
            return bytes(a, b, {selector(0U, c & 3), selector(1U, c & 3), selector(2U, c & 3), selector(3U, c & 3)});
        });
    };
    by_mode("f4e", [](U32 n, U32 c) { return n + c; });
    by_mode("b4e", [](U32 n, U32 c) { return (c + 8 - n) & 7; });
    by_mode("rc8", [](U32, U32 c) { return c; });
    by_mode("ecl", [](U32 n, U32 c) { return std::max(n, c); });
    by_mode("ecr", [](U32 n, U32 c) { return std::min(n, c); });
    by_mode("rc16", [](U32 n, U32 c) { return n % 2 + (c % 2) * 2; });
}

TEST(Bytes, AreMultipliedAndSummed) {
    const auto byte = [](U32 word, U32 n, bool is_signed) {
        const U32 value = word >> 8 * n & 255;
        return static_cast<S64>(value) - (is_signed && value > 127 ? 256 : 0);
    };
    expect_lanes<U32, U32, U32, U32>("dp4a.u32.s32", [=](U32 a, U32 b, U32 c) {
        S64 sum = c;
        for (U32 n = 0; n < 4; ++n) sum += byte(a, n, false) * byte(b, n, true);
        return static_cast<U32>(sum);
    });
    expect_lanes<U32, U32, U32, U32>("dp2a.hi.s32.u32", [=](U32 a, U32 b, U32 c) {
        S64 sum = c;
        for (U32 n = 0; n < 2; ++n) sum += static_cast<S16>(a >> 16 * n) * byte(b, n + 2, false);
        return static_cast<U32>(sum);
    });
    expect_lanes<U32, U32, U32, U32>("dp2a.lo.u32.u32", [=](U32 a, U32 b, U32 c) {
        S64 sum = c;
        for (U32 n = 0; n < 2; ++n) sum += static_cast<S64>(static_cast<U16>(a >> 16 * n)) * byte(b, n, false);
        return static_cast<U32>(sum);
    });
}

}  // namespace
}  // namespace simt::interpreter::test
