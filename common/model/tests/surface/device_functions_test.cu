// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// Integer, floating point and conversion functions against references that compute in another way.

#include <math_constants.h>

#include <bitset>
#include <cfenv>
#include <limits>

#include "support.hpp"

namespace {

TEST(IntegerFunctions, CountAndReverseBits)
{
    for (const unsigned long long x : random_values<unsigned long long>(500)) {
        const auto low = static_cast<unsigned>(x);
        const std::bitset<64> bits(x);
        EXPECT_EQ(__popc(low), static_cast<int>(std::bitset<32>(low).count()));
        EXPECT_EQ(__popcll(x), static_cast<int>(bits.count()));
        int first = 0, last = 64;
        for (int i = 63; i >= 0; --i)
            if (bits[i]) first = i + 1;
        for (int i = 0; i < 64; ++i)
            if (bits[i]) last = 63 - i;
        EXPECT_EQ(__ffsll(static_cast<long long>(x)), first);
        EXPECT_EQ(__clzll(static_cast<long long>(x)), last);
        for (int i = 0; i < 64; ++i) {
            EXPECT_EQ(__brevll(x) >> i & 1u, x >> (63 - i) & 1u);
            if (i < 32) {
                EXPECT_EQ(__brev(low) >> i & 1u, low >> (31 - i) & 1u);
            }
        }
    }
    EXPECT_EQ(__clz(0), 32);
    EXPECT_EQ(__clz(1), 31);
    EXPECT_EQ(__ffs(0), 0);
    EXPECT_EQ(__ffs(0x50), 5);
}

TEST(IntegerFunctions, PickBytesAndShiftAcrossWords)
{
    EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311u);
    EXPECT_EQ(__byte_perm(0x33221100, 0x77665584, 0xc0c1), 0xff00ff11u);
    for (unsigned shift = 0; shift < 70; ++shift) {
        const unsigned low = 0x89abcdefu, high = 0x01234567u, s = shift % 32;
        EXPECT_EQ(__funnelshift_l(low, high, shift), s ? high << s | low >> (32 - s) : high);
        EXPECT_EQ(__funnelshift_r(low, high, shift), s ? high << (32 - s) | low >> s : low);
        const unsigned c = shift > 32 ? 32 : shift;
        EXPECT_EQ(__funnelshift_lc(low, high, shift), c == 32 ? low : __funnelshift_l(low, high, c));
        EXPECT_EQ(__funnelshift_rc(low, high, shift), c == 32 ? high : __funnelshift_r(low, high, c));
    }
}

TEST(IntegerFunctions, MultiplyAndAverage)
{
    const auto a = random_values<int>(300, 5), b = random_values<int>(300, 6);
    for (int i = 0; i < 300; ++i) {
        const __int128 x = a[i], y = b[i];
        const unsigned ux = static_cast<unsigned>(a[i]), uy = static_cast<unsigned>(b[i]);
        EXPECT_EQ(__mulhi(a[i], b[i]), static_cast<int>((x * y) >> 32));
        EXPECT_EQ(__umulhi(ux, uy), static_cast<unsigned>((static_cast<unsigned __int128>(ux) * uy) >> 32));
        EXPECT_EQ(__umul24(ux, uy), (ux % (1u << 24)) * (uy % (1u << 24)));
        const auto low24 = [](int v) { return (v % (1 << 24) + (1 << 24) + (1 << 23)) % (1 << 24) - (1 << 23); };
        EXPECT_EQ(__mul24(a[i], b[i]), static_cast<int>(static_cast<unsigned>(low24(a[i])) * static_cast<unsigned>(low24(b[i]))));
        EXPECT_EQ(__sad(a[i], b[i], 9u), static_cast<unsigned>((x > y ? x - y : y - x) + 9));
        EXPECT_EQ(__usad(ux, uy, 9u), (ux > uy ? ux - uy : uy - ux) + 9u);
        EXPECT_EQ(__hadd(a[i], b[i]), static_cast<int>((x + y) >> 1));
        EXPECT_EQ(__rhadd(a[i], b[i]), static_cast<int>((x + y + 1) >> 1));
        EXPECT_EQ(__uhadd(ux, uy), static_cast<unsigned>((1ull * ux + uy) / 2));
        EXPECT_EQ(__urhadd(ux, uy), static_cast<unsigned>((1ull * ux + uy + 1) / 2));
    }
    EXPECT_EQ(__mul64hi(-1, 1), -1);
    EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
    EXPECT_EQ(__dp4a(0x01020304, 0x7f010101, 10), 127 + 2 + 3 + 4 + 10);
    EXPECT_EQ(__dp4a(static_cast<int>(0xff000000), 0x02000000, 0), -2);
    EXPECT_EQ(__dp4a(0xff000000u, 0x02000000u, 0u), 510u);
}

TEST(IntegerFunctions, MinimaAndMaximaOfThree)
{
    const int cases[][3] = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}, {-1, -2, -3}, {INT_MIN, 0, INT_MAX}, {5, 5, -5}};
    for (const auto& [a, b, c] : cases) {
        EXPECT_EQ(__vimin3_s32(a, b, c), std::min({a, b, c}));
        EXPECT_EQ(__vimax3_s32(a, b, c), std::max({a, b, c}));
        EXPECT_EQ(__vimin3_s32_relu(a, b, c), std::max(std::min({a, b, c}), 0));
        EXPECT_EQ(__vimax3_s32_relu(a, b, c), std::max({a, b, c, 0}));
        EXPECT_EQ(__vimin_s32_relu(a, b), std::max(std::min(a, b), 0));
        EXPECT_EQ(__vimax_s32_relu(a, b), std::max({a, b, 0}));
        const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b), uc = static_cast<unsigned>(c);
        EXPECT_EQ(__vimin3_u32(ua, ub, uc), std::min({ua, ub, uc}));
        EXPECT_EQ(__vimax3_u32(ua, ub, uc), std::max({ua, ub, uc}));
        EXPECT_EQ(__viaddmin_u32(ua, ub, uc), std::min(ua + ub, uc));
        EXPECT_EQ(__viaddmax_u32(ua, ub, uc), std::max(ua + ub, uc));
        EXPECT_EQ(__viaddmin_s32(a, b, c), std::min(static_cast<int>(ua + ub), c));
        EXPECT_EQ(__viaddmax_s32(a, b, c), std::max(static_cast<int>(ua + ub), c));
        EXPECT_EQ(__viaddmin_s32_relu(a, b, c), std::max(std::min(static_cast<int>(ua + ub), c), 0));
        EXPECT_EQ(__viaddmax_s32_relu(a, b, c), std::max({static_cast<int>(ua + ub), c, 0}));
    }
}

TEST(IntegerFunctions, TheBitsOfFloatsThatAreNotNegativeAreInTheirOrder)
{
    const float distances[] = {0.0f, 1e-40f, 0.25f, 0.250001f, 3.0f, 1e38f, INFINITY};
    for (std::size_t i = 2; i < std::size(distances); ++i)
        EXPECT_EQ(__int_as_float(__vimin3_s32(__float_as_int(distances[i]), __float_as_int(distances[i - 2]), __float_as_int(distances[i - 1]))),
                  distances[i - 2]);
}

TEST(IntegerFunctions, MinimaOfTwoTellWhichOneWasTaken)
{
    bool is_first = false;
    EXPECT_EQ(__vibmin_s32(-1, 1, &is_first), -1);
    EXPECT_TRUE(is_first);
    EXPECT_EQ(__vibmin_u32(0xffffffffu, 1u, &is_first), 1u);
    EXPECT_FALSE(is_first);
    EXPECT_EQ(__vibmax_s32(4, 4, &is_first), 4);
    EXPECT_TRUE(is_first);
    EXPECT_EQ(__vibmax_u32(3u, 4u, &is_first), 4u);
    EXPECT_FALSE(is_first);
}

TEST(IntegerFunctions, HalvesOfAWordAreComparedEachForItself)
{
    EXPECT_EQ(__vimin3_s16x2(0x0001ffffu, 0x00020001u, 0x7fff0002u), 0x0001ffffu);
    EXPECT_EQ(__vimax3_s16x2(0x0001ffffu, 0x00020001u, 0x7fff0002u), 0x7fff0002u);
    EXPECT_EQ(__vimin3_u16x2(0x0001ffffu, 0x00020001u, 0x7fff0002u), 0x00010001u);
    EXPECT_EQ(__vimax3_u16x2(0x0001ffffu, 0x00020001u, 0x7fff0002u), 0x7fffffffu);
    EXPECT_EQ(__vimin3_s16x2_relu(0x0001ffffu, 0x00020001u, 0x7fff0002u), 0x00010000u);
    EXPECT_EQ(__vimax3_s16x2_relu(0xffffffffu, 0xfffe0001u, 0x80000002u), 0x00000002u);
}

TEST(MinMax, HaveTheResultTypesOfCuda)
{
    static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned> && std::is_same_v<decltype(max(1L, 2L)), long>);
    static_assert(std::is_same_v<decltype(min(1.0f, 2.0)), double> && std::is_same_v<decltype(max(1.0f, 2.0f)), float>);
    static_assert(std::is_same_v<decltype(max(1ll, 2ull)), unsigned long long> && min(-1, 2) == -1 && max(3u, 2u) == 3u);
    EXPECT_EQ(max(-1, 2u), 4294967295u) << "the int becomes unsigned";
    EXPECT_EQ(max(CUDART_NAN_F, 2.0f), 2.0f);
    EXPECT_EQ(min(-3.0, 2.0f), -3.0);
    EXPECT_EQ(fmaxf(1.0f, 2.0f), 2.0f);
    EXPECT_EQ(abs(-2.5f), 2.5f);
}

TEST(Conversions, RoundAsTheirSuffixSays)
{
    for (const double x : random_values<double>(500)) {
        const auto f = static_cast<float>(x);
        EXPECT_EQ(__float2int_rn(f), std::lrint(f));
        EXPECT_EQ(__float2int_rz(f), static_cast<int>(f));
        EXPECT_EQ(__float2int_ru(f), static_cast<int>(std::ceil(f)));
        EXPECT_EQ(__float2int_rd(f), static_cast<int>(std::floor(f)));
        EXPECT_EQ(__double2ll_rn(x), std::llrint(x));
        // The directed results enclose the number, one unit in the last place apart.
        EXPECT_LE(static_cast<double>(__double2float_rd(x)), x);
        EXPECT_GE(static_cast<double>(__double2float_ru(x)), x);
        EXPECT_LE(std::fabs(__double2float_rz(x)), std::fabs(x));
        EXPECT_EQ(__double2float_rn(x), f);
        EXPECT_LE(__double2float_ru(x), std::nextafter(__double2float_rd(x), INFINITY));
    }
    EXPECT_EQ(__float2int_rn(2.5f), 2);
    // Read at run time: the compiler limits constants on its own.
    volatile float large = 1e20f, negative = -5.0f;
    EXPECT_EQ(__float2int_rn(large), std::numeric_limits<int>::max());
    EXPECT_EQ(__float2int_rz(-large), std::numeric_limits<int>::min());
    EXPECT_EQ(__float2uint_rz(negative), 0u);
    EXPECT_EQ(__float2int_rz(CUDART_NAN_F), 0);
    EXPECT_EQ(__double2ull_rz(1e30), std::numeric_limits<unsigned long long>::max());
    EXPECT_EQ(__int2float_rz(16777217), 16777216.0f);
    EXPECT_EQ(__int2float_ru(16777217), 16777218.0f);
    EXPECT_EQ(__uint2float_rd(0xffffffffu), 4294967040.0f);
    EXPECT_EQ(__ull2double_ru(~0ull), 18446744073709551616.0);
}

TEST(Conversions, KeepBits)
{
    for (const float f : random_values<float>(100)) {
        EXPECT_EQ(__int_as_float(__float_as_int(f)), f);
        EXPECT_EQ(__uint_as_float(__float_as_uint(f)), f);
        const double d = static_cast<double>(f) / 3;
        EXPECT_EQ(__longlong_as_double(__double_as_longlong(d)), d);
        EXPECT_EQ(__hiloint2double(__double2hiint(d), __double2loint(d)), d);
    }
    EXPECT_EQ(__float_as_int(1.0f), 0x3f800000);
}

TEST(Arithmetic, RoundsAsItsSuffixSays)
{
    const auto a = random_values<float>(300, 8), b = random_values<float>(300, 9);
    for (int i = 0; i < 300; ++i) {
        // Products of floats are exact as doubles, quotients of few bits are not: there the enclosure is what counts.
        const double product = static_cast<double>(a[i]) * b[i];
        EXPECT_EQ(__fmul_rn(a[i], b[i]), static_cast<float>(product));
        EXPECT_LE(__fmul_rd(a[i], b[i]), product);
        EXPECT_GE(__fmul_ru(a[i], b[i]), product);
        EXPECT_LE(std::fabs(__fmul_rz(a[i], b[i])), std::fabs(product));
        EXPECT_LE(__fmul_ru(a[i], b[i]), std::nextafter(__fmul_rd(a[i], b[i]), INFINITY));
        EXPECT_LE(__fadd_rd(a[i], b[i]), static_cast<double>(a[i]) + b[i]);
        EXPECT_GE(__fadd_ru(a[i], b[i]), static_cast<double>(a[i]) + b[i]);
        EXPECT_EQ(__fsub_rn(a[i], b[i]), a[i] - b[i]);
        EXPECT_LE(__fdiv_rd(a[i], b[i]), __fdiv_ru(a[i], b[i]));
        EXPECT_EQ(__fmaf_rn(a[i], b[i], 1.0f), std::fma(a[i], b[i], 1.0f));
        EXPECT_LE(__fsqrt_rd(std::fabs(a[i])), std::sqrt(static_cast<double>(std::fabs(a[i]))));
        EXPECT_GE(__dsqrt_ru(std::fabs(b[i])), __dsqrt_rd(std::fabs(b[i])));
    }
    EXPECT_NE(__ddiv_rd(1, 3), __ddiv_ru(1, 3));
    EXPECT_NE(__frcp_rd(3), __frcp_ru(3));
    EXPECT_EQ(__fma_rn(3, 4, 5), 17);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "the mode is set back";
}

TEST(Mathematics, HasTheFunctionsBeyondTheStandards)
{
    for (const double x : random_values<double>(200)) {
        const double p = std::fabs(x) + 0.1;
        EXPECT_NEAR(rsqrt(p) * std::sqrt(p), 1, 1e-12);
        EXPECT_NEAR(rsqrtf(float(p)) * std::sqrt(float(p)), 1, 1e-5);
        EXPECT_NEAR(rcbrt(p) * std::cbrt(p), 1, 1e-12);
        EXPECT_NEAR(sinpi(x), std::sin(CUDART_PI * x), 1e-11);
        EXPECT_NEAR(cospi(x), std::cos(CUDART_PI * x), 1e-11);
        EXPECT_NEAR(normcdf(x / 30) + normcdf(-x / 30), 1, 1e-12);
        EXPECT_NEAR(norm3d(x, 2, 3), std::sqrt(x * x + 13), 1e-9);
        EXPECT_NEAR(norm4d(x, 2, 3, 4) * rnorm4d(x, 2, 3, 4), 1, 1e-12);
        EXPECT_NEAR(erfcx(p / 20) * std::exp(-p * p / 400), std::erfc(p / 20), 1e-12);
    }
    for (int i = -6; i <= 6; ++i) {
        EXPECT_EQ(sinpi(i), 0.0);
        EXPECT_EQ(cospi(i + 0.5), 0.0);
        EXPECT_EQ(cospi(i), i % 2 ? -1.0 : 1.0);
    }
    EXPECT_EQ(normcdf(0), 0.5);
    EXPECT_EQ(__saturatef(-1), 0.0f);
    EXPECT_EQ(__saturatef(0.25f), 0.25f);
    EXPECT_EQ(__saturatef(7), 1.0f);
    EXPECT_EQ(__saturatef(CUDART_NAN_F), 0.0f);
    EXPECT_EQ(__expf(1.5f), std::exp(1.5f));
    float s = 0, c = 0;
    sincosf(0.5f, &s, &c);
    EXPECT_NEAR(s * s + c * c, 1, 1e-6);
    __sincosf(0.5f, &s, &c);
    EXPECT_EQ(s, std::sin(0.5f));
    EXPECT_NEAR(exp10(3.0), 1000.0, 1e-9);
}

__global__ void through_hints(float4* out, const float4* in, int* ints)
{
    const float4 v = __ldg(&in[threadIdx.x]);
    __stcs(&out[threadIdx.x], make_float4(v.x, v.x, v.x, v.x));
    __stcg(ints + threadIdx.x, __ldcs(ints + threadIdx.x) + max(1, 2));
}

TEST(MemoryHints, ArePlainAccessesOnTheUsersLine)
{
    Device<float4> in(std::vector<float4>(32, make_float4(5, 6, 7, 8))), out(32);
    Device<int> ints(std::vector<int>(32, 40));
    const auto counts = counts_of([&] { through_hints<<<1, 32>>>(out.data, in.data, ints.data); });
    EXPECT_EQ(counts.global_load.requests, 2u);
    EXPECT_EQ(counts.global_load.bytes, 32u * 20);
    EXPECT_EQ(counts.global_store.requests, 2u);
    for (const auto& line : counts.lines) EXPECT_EQ(line.file, "device_functions_test.cu");
    EXPECT_EQ(out.host()[4].w, 5.0f);
    EXPECT_EQ(ints.host()[4], 42);
}

TEST(Macros, AreThoseOfNvcc)
{
#if CONFLICT_FREE_SIMT != 1 || !defined(__CUDACC__) || !defined(__NVCC__) || __CUDA_ARCH__ < 900 || CUDART_VERSION < 13000
    FAIL();
#endif
}

}  // namespace
