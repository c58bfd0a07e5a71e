#include <algorithm>
#include <cmath>

#include "arithmetic_bench.hpp"

namespace simt::interpreter::test {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;

TEST(FindArithmetic, KnowsNothingOfOtherFamilies) {
    for (const char* text :
         {"ld.global.u32", "st.shared.f32", "bra.uni", "bar.sync", "shfl.sync.idx.b32", "vote.sync.ballot.b32", "cvta.to.global.u64",
          "isspacep.shared", "atom.add.u32", "mma.sync.aligned.m16n8k16", "add.e4m3x2", "frobnicate.u32", "setp.u32", "cvt.u32", "mov"})
        EXPECT_EQ(find_lanewise(instruction_of(text)).execute, nullptr) << text;
}

TEST(FindArithmetic, GivesTypesForConstants) {
    using ptx::Type;
    const auto types = [](const char* text) { return find_lanewise(instruction_of(text)).types; };
    EXPECT_EQ(types("selp.f64")[3], Type::pred);
    EXPECT_EQ(types("setp.lt.f32")[0], Type::pred);
    EXPECT_EQ(types("setp.lt.f32")[1], Type::f32);
    EXPECT_EQ(types("cvt.rn.f64.s16")[1], Type::s16);
    EXPECT_EQ(types("bfi.b64")[3], Type::u32);
    EXPECT_EQ(types("popc.b64")[0], Type::u32);
    EXPECT_EQ(types("slct.f64.s32")[3], Type::s32);
    EXPECT_EQ(types("set.eq.u32.f64")[1], Type::f64);
    EXPECT_EQ(types("fma.rn.f16x2")[3], Type::f16x2);
}

template <class T> void expect_comparison(const std::string& text, bool (*holds)(T, T)) {
    Bench bench;
    Numbers numbers;
    for (int round = 0; round < 40; ++round) {
        const U32 active = round % 2 != 0 ? all_lanes : 0x00ffff01;
        for (int lane = 0; lane < warp_size; ++lane) {
            bench.at<T>(2)[lane] = numbers.next<T>();
            bench.at<T>(3)[lane] = lane % 5 == 0 ? bench.at<T>(2)[lane] : numbers.next<T>();
        }
        for (int p = 0; p < 2; ++p) *bench.at<U32>(static_cast<std::size_t>(p)) = 0x0f0f5a5a;
        *bench.at<U32>(4) = static_cast<U32>(numbers.random());
        ptx::Instruction both = instruction_of(text, 4);
        both.operands[0].second.resize(1);
        both.modifiers.insert(both.modifiers.begin() + 1, "and");
        ASSERT_TRUE(bench.run(both, {0, 1, 2, 3, 4}, active, 1U << 4)) << text;
        ASSERT_TRUE(bench.run(instruction_of(text, 3), {5, 2, 3}, all_lanes)) << text;
        std::string set = text;
        set.replace(0, 4, "set").insert(set.find('.', 4), ".xor.u32");
        ASSERT_TRUE(bench.run(instruction_of(set, 4), {6, 2, 3, 4}, all_lanes)) << set;
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            const bool result = holds(bench.at<T>(2)[lane], bench.at<T>(3)[lane]);
            const bool c = (*bench.at<U32>(4) >> lane & 1) != 0, is_active = (active >> lane & 1) != 0;
            const bool old = (0x0f0f5a5aU >> lane & 1) != 0;
            ASSERT_EQ((*bench.at<U32>(0) >> lane & 1) != 0, is_active ? result && !c : old) << text;
            ASSERT_EQ((*bench.at<U32>(1) >> lane & 1) != 0, is_active ? !result && !c : old) << text;
            ASSERT_EQ((*bench.at<U32>(5) >> lane & 1) != 0, result) << text;
            ASSERT_EQ(bench.at<U32>(6)[lane], result != c ? ~0U : 0U) << set;
        }
    }
}

template <class T> void expect_integer_comparisons(const std::string& type) {
    expect_comparison<T>("setp.eq." + type, [](T a, T b) { return a == b; });
    expect_comparison<T>("setp.ne." + type, [](T a, T b) { return a != b; });
    expect_comparison<T>("setp.lt." + type, [](T a, T b) { return a < b; });
    expect_comparison<T>("setp.le." + type, [](T a, T b) { return a <= b; });
    expect_comparison<T>("setp.gt." + type, [](T a, T b) { return a > b; });
    expect_comparison<T>("setp.ge." + type, [](T a, T b) { return a >= b; });
}

TEST(Comparison, OfIntegers) {
    expect_integer_comparisons<U16>("u16");
    expect_integer_comparisons<std::int16_t>("s16");
    expect_integer_comparisons<U32>("u32");
    expect_integer_comparisons<S32>("s32");
    expect_integer_comparisons<U64>("u64");
    expect_integer_comparisons<std::int64_t>("s64");
    expect_comparison<U32>("setp.lo.u32", [](U32 a, U32 b) { return a < b; });
    expect_comparison<U32>("setp.ls.u32", [](U32 a, U32 b) { return a <= b; });
    expect_comparison<U32>("setp.hi.u32", [](U32 a, U32 b) { return a > b; });
    expect_comparison<U64>("setp.hs.u64", [](U64 a, U64 b) { return a >= b; });
}

template <class F> void expect_float_comparisons(const std::string& type) {
    expect_comparison<F>("setp.eq." + type, [](F a, F b) { return a == b; });
    expect_comparison<F>("setp.ne." + type, [](F a, F b) { return !std::isunordered(a, b) && a != b; });
    expect_comparison<F>("setp.lt." + type, [](F a, F b) { return std::isless(a, b); });
    expect_comparison<F>("setp.ge." + type, [](F a, F b) { return std::isgreaterequal(a, b); });
    expect_comparison<F>("setp.equ." + type, [](F a, F b) { return std::isunordered(a, b) || a == b; });
    expect_comparison<F>("setp.neu." + type, [](F a, F b) { return std::isunordered(a, b) || a != b; });
    expect_comparison<F>("setp.ltu." + type, [](F a, F b) { return std::isunordered(a, b) || a < b; });
    expect_comparison<F>("setp.leu." + type, [](F a, F b) { return std::isunordered(a, b) || a <= b; });
    expect_comparison<F>("setp.gtu." + type, [](F a, F b) { return std::isunordered(a, b) || a > b; });
    expect_comparison<F>("setp.geu." + type, [](F a, F b) { return std::isunordered(a, b) || a >= b; });
    expect_comparison<F>("setp.num." + type, [](F a, F b) { return !std::isunordered(a, b); });
    expect_comparison<F>("setp.nan." + type, [](F a, F b) { return std::isunordered(a, b); });
}

TEST(Comparison, OfFloatingPoint) {
    expect_float_comparisons<float>("f32");
    expect_float_comparisons<double>("f64");
    expect_comparison<float>("setp.gt.ftz.f32", [](float a, float b) {
        const auto flush = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0F : x; };
        return flush(a) > flush(b);
    });
}

TEST(Comparison, OfHalves) {
    Bench bench;
    bench.at<U32>(2)[0] = 0x3c00'4000, bench.at<U32>(3)[0] = 0x3c00'3c00;  // {2, 1} and {1, 1}, the lower first
    bench.at<U32>(2)[1] = 0x7e00'8000, bench.at<U32>(3)[1] = 0x7e00'0000;  // {-0, NaN} and {0, NaN}
    ptx::Instruction both = instruction_of("setp.gt.f16x2", 3);
    both.operands[0].second.resize(1);
    ASSERT_TRUE(bench.run(both, {0, 1, 2, 3}, 3));
    EXPECT_EQ(*bench.at<U32>(0) & 3, 1U);
    EXPECT_EQ(*bench.at<U32>(1) & 3, 0U);
    ASSERT_TRUE(bench.run(instruction_of("set.eq.f16x2.f16x2", 3), {4, 2, 3}, 3));
    EXPECT_EQ(bench.at<U32>(4)[0], 0x3c00'0000U);
    EXPECT_EQ(bench.at<U32>(4)[1], 0x0000'3c00U);
    ASSERT_TRUE(bench.run(instruction_of("set.neu.u32.bf16x2", 3), {4, 2, 3}, 3));
    EXPECT_EQ(bench.at<U32>(4)[0], 0x0000'ffffU);
    ASSERT_TRUE(bench.run(instruction_of("set.gt.f16.f16", 3), {4, 2, 3}, 1));
    EXPECT_EQ(bench.at<U16>(4)[0], 0x3c00);
    ASSERT_TRUE(bench.run(instruction_of("set.gt.f32.f16", 3), {4, 2, 3}, 1));
    EXPECT_EQ(bench.at<float>(4)[0], 1.0F);
}

TEST(Predicates, AreMasks) {
    Bench bench;
    *bench.at<U32>(1) = 0xff00ff00, *bench.at<U32>(2) = 0xf0f0f0f0;
    const auto run = [&](const char* text, std::vector<std::size_t> operands, U32 negated = 0) {
        *bench.at<U32>(0) = 0xaaaaaaaa;
        EXPECT_TRUE(bench.run(instruction_of(text), operands, 0x0000ffff, negated)) << text;
        EXPECT_EQ(*bench.at<U32>(0) >> 16, 0xaaaaU) << text;
        return *bench.at<U32>(0) & 0xffff;
    };
    EXPECT_EQ(run("and.pred", {0, 1, 2}), 0xf000U);
    EXPECT_EQ(run("or.pred", {0, 1, 2}), 0xfff0U);
    EXPECT_EQ(run("xor.pred", {0, 1, 2}), 0x0ff0U);
    EXPECT_EQ(run("and.pred", {0, 1, 2}, 1U << 2), 0x0f00U);
    EXPECT_EQ(run("not.pred", {0, 1}), 0x00ffU);
    EXPECT_EQ(run("mov.pred", {0, 1}), 0xff00U);
}

ptx::Instruction with_vector(const char* text, bool in_destination, std::size_t elements) {
    ptx::Instruction result = instruction_of(text, 2);
    ptx::Operand& vector = result.operands[in_destination ? 0 : 1];
    vector.kind = ptx::Operand::Kind::vector;
    vector.elements.resize(elements);
    return result;
}

TEST(Moves, CopyAndPack) {
    expect_lanes<U16, U16>("mov.b16", [](U16 a) { return a; });
    expect_lanes<float, float>("mov.f32", [](float a) { return a; });
    expect_lanes<double, double>("mov.f64", [](double a) { return a; });
    const auto pack = [](const char* text) { return with_vector(text, false, 2); };
    expect_lanes<U64, U32, U32>(
        std::index_sequence<0, 1>{}, pack("mov.b64"), "mov.b64 d, {a, b}", [](U32 a, U32 b) { return static_cast<U64>(b) << 32 | a; },
        SameBits{}, 20);
    expect_lanes<U32, U16, U16>(
        std::index_sequence<0, 1>{}, pack("mov.b32"), "mov.b32 d, {a, b}", [](U16 a, U16 b) { return static_cast<U32>(b) << 16 | a; },
        SameBits{}, 20);
    expect_lanes<U64, U16, U16, U16, U16>(
        std::index_sequence<0, 1, 2, 3>{}, with_vector("mov.b64", false, 4), "mov.b64 d, {a, b, c, e}",
        [](U16 a, U16 b, U16 c, U16 d) { return static_cast<U64>(d) << 48 | static_cast<U64>(c) << 32 | static_cast<U64>(b) << 16 | a; },
        SameBits{}, 20);
    EXPECT_EQ(find_lanewise(pack("mov.b64")).types[1], ptx::Type::b32);
    EXPECT_EQ(find_lanewise(with_vector("mov.b64", true, 2)).types[2], ptx::Type::b64);
}

TEST(Moves, Unpack) {
    Bench bench;
    Numbers numbers;
    for (int lane = 0; lane < warp_size; ++lane) bench.at<U64>(5)[lane] = numbers.random();
    for (std::size_t n = 0; n < 5; ++n) bench.poison(n);
    ASSERT_TRUE(bench.run(with_vector("mov.b64", true, 2), {0, 1, 5}, 0xffff0000));
    ASSERT_TRUE(bench.run(with_vector("mov.b64", true, 2), {Bench::sink, 2, 5}, all_lanes));
    ASSERT_TRUE(bench.run(with_vector("mov.b64", true, 4), {Bench::sink, 3, Bench::sink, 4, 5}, all_lanes));
    for (int lane = 0; lane < warp_size; ++lane) {
        const U64 value = bench.at<U64>(5)[lane];
        ASSERT_EQ(bench.at<U32>(0)[lane], lane < 16 ? 0xa5a5a5a5 : static_cast<U32>(value));
        ASSERT_EQ(bench.at<U32>(1)[lane], lane < 16 ? 0xa5a5a5a5 : static_cast<U32>(value >> 32));
        ASSERT_EQ(bench.at<U32>(2)[lane], static_cast<U32>(value >> 32));
        ASSERT_EQ(bench.at<U16>(3)[lane], static_cast<U16>(value >> 16));
        ASSERT_EQ(bench.at<U16>(4)[lane], static_cast<U16>(value >> 48));
    }
    // b128 goes into registers and comes out again.
    for (int lane = 0; lane < warp_size; ++lane) bench.at<U64>(6)[lane] = numbers.random();
    ASSERT_TRUE(bench.run(with_vector("mov.b128", false, 2), {0, 5, 6}, all_lanes));
    ASSERT_TRUE(bench.run(instruction_of("mov.b128"), {1, 0}, all_lanes));
    ASSERT_TRUE(bench.run(with_vector("mov.b128", true, 2), {2, 3, 1}, all_lanes));
    EXPECT_EQ(std::memcmp(bench.at<U64>(2), bench.at<U64>(5), 8 * warp_size), 0);
    EXPECT_EQ(std::memcmp(bench.at<U64>(3), bench.at<U64>(6), 8 * warp_size), 0);
}

TEST(Moves, Select) {
    Bench bench;
    Numbers numbers;
    for (int lane = 0; lane < warp_size; ++lane) bench.at<U64>(1)[lane] = numbers.random(), bench.at<U64>(2)[lane] = numbers.random();
    *bench.at<U32>(3) = 0x12345678;
    ASSERT_TRUE(bench.run(instruction_of("selp.b64"), {0, 1, 2, 3}, all_lanes, 1U << 3));
    for (int lane = 0; lane < warp_size; ++lane)
        ASSERT_EQ(bench.at<U64>(0)[lane], bench.at<U64>((0x12345678U >> lane & 1) != 0 ? 2 : 1)[lane]);
    expect_lanes<U16, U16, U16, S32>("slct.u16.s32", [](U16 a, U16 b, S32 c) { return c >= 0 ? a : b; });
    expect_lanes<U64, U64, U64, float>("slct.f64.f32", [](U64 a, U64 b, float c) { return c >= 0 ? a : b; });
}

/// A video instruction with selectors behind its operands; `-` before one negates.
ptx::Instruction video(const char* text, std::initializer_list<std::string> selectors) {
    ptx::Instruction result = instruction_of(text, selectors.size());
    std::size_t n = 0;
    for (const std::string& selector : selectors) {
        result.operands[n].negated = selector.starts_with('-');
        result.operands[n++].name = selector.substr(selector.starts_with('-') ? 1 : 0);
    }
    return result;
}

template <class... S, class Reference>
void expect_video(const char* text, std::initializer_list<std::string> selectors, Reference reference) {
    expect_lanes<U32, S...>(std::index_sequence_for<S...>{}, video(text, selectors), text, reference, SameBits{}, 100);
}

TEST(Video, OnWords) {
    expect_video<U32, U32>("vadd.s32.u32.s32.sat", {"", "b0", "h1"},
                           [](U32 a, U32 b) { return static_cast<U32>(static_cast<S32>(a & 255) + static_cast<std::int16_t>(b >> 16)); });
    expect_video<U32, U32>("vsub.u32.u32.u32.sat", {"", "", ""}, [](U32 a, U32 b) { return a < b ? 0 : a - b; });
    expect_video<U32, U32, U32>("vabsdiff.u32.s32.s32.add", {"", "", "b3", ""}, [](U32 a, U32 b, U32 c) {
        return static_cast<U32>(std::abs(std::int64_t{static_cast<S32>(a)} - static_cast<std::int8_t>(b >> 24))) + c;
    });
    expect_video<U32, U32, U32>("vmax.s32.s32.s32.sat", {"b1", "", "", ""}, [](U32 a, U32 b, U32 c) {
        const S32 value = std::clamp(std::max(static_cast<S32>(a), static_cast<S32>(b)), -128, 127);
        return (c & 0xffff00ffU) | (static_cast<U32>(value) & 255) << 8;
    });
    expect_video<U32, U32>("vshl.u32.u32.u32.clamp", {"", "", ""}, [](U32 a, U32 b) { return b > 31 ? 0 : a << b; });
    expect_video<U32, U32>("vshr.s32.s32.u32.wrap", {"", "", "b0"},
                           [](U32 a, U32 b) { return static_cast<U32>(static_cast<S32>(a) >> (b & 31)); });
    expect_video<U32, U32, U32>("vset.s32.u32.lt.max", {"", "", "", ""}, [](U32 a, U32 b, U32 c) {
        return std::max<U32>(std::int64_t{static_cast<S32>(a)} < std::int64_t{b} ? 1 : 0, c);
    });
    expect_video<U32, U32, U32>("vmad.s32.s32.s32.sat.shr7", {"", "h0", "-h0", ""}, [](U32 a, U32 b, U32 c) {
        const std::int64_t product = -(std::int64_t{static_cast<std::int16_t>(a)} * static_cast<std::int16_t>(b));
        return static_cast<U32>((product + static_cast<S32>(c)) >> 7);
    });
    expect_video<U32, U32, U32>("vmad.u32.u32.u32.po.sat", {"", "", "", ""}, [](U32 a, U32 b, U32 c) {
        const Int128 result = static_cast<Int128>(a) * b + c + 1;
        return static_cast<U32>(std::min<Int128>(result, 0xffffffff));
    });
}

TEST(Video, OnHalvesAndBytes) {
    expect_video<U32, U32, U32>("vabsdiff4.u32.u32.u32.add", {"", "", "", ""}, [](U32 a, U32 b, U32 c) {
        for (int n = 0; n < 32; n += 8) c += static_cast<U32>(std::abs(static_cast<int>(a >> n & 255) - static_cast<int>(b >> n & 255)));
        return c;
    });
    expect_video<U32, U32, U32>("vadd2.s32.s32.s32.sat", {"h1", "h03", "h21", ""}, [](U32 a, U32 b, U32 c) {
        const int sum = static_cast<std::int16_t>(a) + static_cast<std::int16_t>(b);  // element 1: h0 of a and h2, which is b's
        return (c & 0xffff) | static_cast<U32>(std::clamp(sum, -32768, 32767)) << 16;
    });
    expect_video<U32, U32, U32>("vavrg4.s32.s32.s32", {"b20", "", "", ""}, [](U32 a, U32 b, U32 c) {
        for (int n = 0; n < 32; n += 16) {
            const int sum = static_cast<std::int8_t>(a >> n) + static_cast<std::int8_t>(b >> n);
            c = (c & ~(255U << n)) | (static_cast<U32>((sum + (sum >= 0 ? 1 : 0)) >> 1) & 255) << n;
        }
        return c;
    });
    expect_video<U32, U32, U32>("vset4.u32.u32.ge", {"", "", "", ""}, [](U32 a, U32 b, U32) {
        U32 result = 0;
        for (int n = 0; n < 32; n += 8) result |= ((a >> n & 255) >= (b >> n & 255) ? 1U : 0U) << n;
        return result;
    });
}

}  // namespace
}  // namespace simt::interpreter::test
