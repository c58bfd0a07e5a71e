// Integer, floating point and conversion functions of device code against references that the host computes in another way.

#include <math_constants.h>

#include <algorithm>
#include <bitset>
#include <climits>
#include <cmath>
#include <limits>

#include "support.hpp"

namespace {

template <class Result, class Input, class Function>
__global__ void apply(Result* results, const Input* inputs, int count, Function function) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) results[i] = function(inputs[i]);
}

/// The results of `function` for all inputs, on the device. Inputs come from memory, so the compiler cannot fold them.
template <class Result, class Input, class Function> std::vector<Result> on_device(const std::vector<Input>& inputs, Function function) {
    const int count = static_cast<int>(inputs.size());
    Device<Input> in(inputs);
    Device<Result> out(inputs.size());
    counts_of([&] { apply<<<(count + 63) / 64, 64>>>(out.data, in.data, count, function); });
    return out.host();
}

template <class T, int count> struct Several {
    T value[count];
    __host__ __device__ T operator[](int i) const { return value[i]; }
};

/// Elements i of several vectors side by side.
template <class T> std::vector<Several<T, 2>> pairs(const std::vector<T>& a, const std::vector<T>& b) {
    std::vector<Several<T, 2>> both(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) both[i] = {a[i], b[i]};
    return both;
}

// CUDA forbids device lambdas in a test's body, which is a private function.

struct Bits {
    int ones, all_ones, first, leading;
    unsigned reversed;
    unsigned long long all_reversed;
};

void count_and_reverse_bits() {
    const auto values = random_values<unsigned long long>(500);
    const auto results = on_device<Bits>(values, [] __device__(unsigned long long x) {
        const auto low = static_cast<unsigned>(x);
        return Bits{__popc(low), __popcll(x), __ffsll(static_cast<long long>(x)), __clzll(static_cast<long long>(x)),
                    __brev(low), __brevll(x)};
    });
    for (std::size_t n = 0; n < values.size(); ++n) {
        const unsigned long long x = values[n];
        const std::bitset<64> bits(x);
        EXPECT_EQ(results[n].ones, static_cast<int>(std::bitset<32>(x).count()));
        EXPECT_EQ(results[n].all_ones, static_cast<int>(bits.count()));
        int first = 0, leading = 64;
        for (int i = 63; i >= 0; --i)
            if (bits[i]) first = i + 1;
        for (int i = 0; i < 64; ++i)
            if (bits[i]) leading = 63 - i;
        EXPECT_EQ(results[n].first, first);
        EXPECT_EQ(results[n].leading, leading);
        for (int i = 0; i < 64; ++i) {
            EXPECT_EQ(results[n].all_reversed >> i & 1u, x >> (63 - i) & 1u);
            if (i < 32) {
                EXPECT_EQ(results[n].reversed >> i & 1u, x >> (31 - i) & 1u);
            }
        }
    }
    const auto few =
        on_device<Several<int, 2>>(std::vector<int>{0, 1, 0x50}, [] __device__(int x) { return Several<int, 2>{__clz(x), __ffs(x)}; });
    EXPECT_EQ(few[0][0], 32);
    EXPECT_EQ(few[1][0], 31);
    EXPECT_EQ(few[0][1], 0);
    EXPECT_EQ(few[2][1], 5);
}
TEST(IntegerFunctions, CountAndReverseBits) { count_and_reverse_bits(); }

void pick_bytes_and_shift() {
    const auto bytes = on_device<unsigned>(std::vector<unsigned>{0x7531, 0xc0c1},
                                           [] __device__(unsigned s) { return __byte_perm(0x33221100, 0x77665584, s); });
    EXPECT_EQ(bytes[0], 0x77553311u);
    EXPECT_EQ(bytes[1], 0x84008411u) << "the highest bit of a selector does not count";
    std::vector<unsigned> shifts(70);
    for (unsigned i = 0; i < shifts.size(); ++i) shifts[i] = i;
    const unsigned low = 0x89abcdefu, high = 0x01234567u;
    const auto results = on_device<Several<unsigned, 4>>(shifts, [=] __device__(unsigned shift) {
        return Several<unsigned, 4>{__funnelshift_l(low, high, shift), __funnelshift_r(low, high, shift),
                                    __funnelshift_lc(low, high, shift), __funnelshift_rc(low, high, shift)};
    });
    for (const unsigned shift : shifts) {
        const unsigned s = shift % 32, c = shift > 32 ? 32 : shift;
        const auto left = [=](unsigned by) { return by == 32 ? low : by ? high << by | low >> (32 - by) : high; };
        const auto right = [=](unsigned by) { return by == 32 ? high : by ? high << (32 - by) | low >> by : low; };
        EXPECT_EQ(results[shift][0], left(s));
        EXPECT_EQ(results[shift][1], right(s));
        EXPECT_EQ(results[shift][2], left(c));
        EXPECT_EQ(results[shift][3], right(c));
    }
}
TEST(IntegerFunctions, PickBytesAndShiftAcrossWords) { pick_bytes_and_shift(); }

void multiply_and_average() {
    const auto a = random_values<int>(300, 5), b = random_values<int>(300, 6);
    const auto results = on_device<Several<unsigned, 10>>(pairs(a, b), [] __device__(Several<int, 2> in) {
        const int x = in[0], y = in[1];
        const unsigned ux = static_cast<unsigned>(x), uy = static_cast<unsigned>(y);
        return Several<unsigned, 10>{unsigned(__mulhi(x, y)), __umulhi(ux, uy),   __umul24(ux, uy),       unsigned(__mul24(x, y)),
                                     __sad(x, y, 9u),         __usad(ux, uy, 9u), unsigned(__hadd(x, y)), unsigned(__rhadd(x, y)),
                                     __uhadd(ux, uy),         __urhadd(ux, uy)};
    });
    for (int i = 0; i < 300; ++i) {
        const __int128 x = a[i], y = b[i];
        const unsigned ux = static_cast<unsigned>(a[i]), uy = static_cast<unsigned>(b[i]);
        const auto low24 = [](int v) { return (v % (1 << 24) + (1 << 24) + (1 << 23)) % (1 << 24) - (1 << 23); };
        const unsigned expected[] = {static_cast<unsigned>((x * y) >> 32),
                                     static_cast<unsigned>((static_cast<unsigned __int128>(ux) * uy) >> 32),
                                     (ux % (1u << 24)) * (uy % (1u << 24)),
                                     static_cast<unsigned>(low24(a[i])) * static_cast<unsigned>(low24(b[i])),
                                     static_cast<unsigned>((x > y ? x - y : y - x) + 9),
                                     (ux > uy ? ux - uy : uy - ux) + 9u,
                                     static_cast<unsigned>((x + y) >> 1),
                                     static_cast<unsigned>((x + y + 1) >> 1),
                                     static_cast<unsigned>((1ull * ux + uy) / 2),
                                     static_cast<unsigned>((1ull * ux + uy + 1) / 2)};
        for (int n = 0; n < 10; ++n) EXPECT_EQ(results[i][n], expected[n]) << n;
    }
    const auto wide = on_device<unsigned long long>(std::vector<unsigned long long>{~0ull},
                                                    [] __device__(unsigned long long x) { return __umul64hi(x, x); });
    EXPECT_EQ(wide[0], ~0ull - 1);
    const auto sums = on_device<Several<int, 2>>(std::vector<unsigned>{0x01020304, 0xff000000}, [] __device__(unsigned x) {
        return Several<int, 2>{__dp4a(int(x), 0x7f010101, 10), int(__dp4a(x, 0x02000000u, 0u))};
    });
    EXPECT_EQ(sums[0][0], 127 + 2 + 3 + 4 + 10);
    EXPECT_EQ(sums[1][0], -127 + 10);
    EXPECT_EQ(sums[1][1], 510);
}
TEST(IntegerFunctions, MultiplyAndAverage) { multiply_and_average(); }

void extremes_of_three() {
    const std::vector<Several<int, 3>> cases = {{{1, 2, 3}}, {{3, 1, 2}}, {{2, 3, 1}}, {{-1, -2, -3}}, {{INT_MIN, 0, INT_MAX}},
                                                {{5, 5, -5}}};
    const auto results = on_device<Several<int, 14>>(cases, [] __device__(Several<int, 3> in) {
        const int a = in[0], b = in[1], c = in[2];
        const unsigned ua = unsigned(a), ub = unsigned(b), uc = unsigned(c);
        bool first = false;
        const int least = __vibmin_s32(a, b, &first);
        return Several<int, 14>{__vimin3_s32(a, b, c),
                                __vimax3_s32(a, b, c),
                                __vimin3_s32_relu(a, b, c),
                                __vimax3_s32_relu(a, b, c),
                                __vimin_s32_relu(a, b),
                                __vimax_s32_relu(a, b),
                                int(__vimin3_u32(ua, ub, uc)),
                                int(__vimax3_u32(ua, ub, uc)),
                                int(__viaddmin_u32(ua, ub, uc)),
                                int(__viaddmax_u32(ua, ub, uc)),
                                __viaddmin_s32(a, b, c),
                                __viaddmax_s32(a, b, c),
                                least,
                                first};
    });
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const int a = cases[n][0], b = cases[n][1], c = cases[n][2];
        const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b), uc = static_cast<unsigned>(c);
        const int sum = static_cast<int>(ua + ub);
        const int expected[] = {std::min({a, b, c}),
                                std::max({a, b, c}),
                                std::max(std::min({a, b, c}), 0),
                                std::max({a, b, c, 0}),
                                std::max(std::min(a, b), 0),
                                std::max({a, b, 0}),
                                static_cast<int>(std::min({ua, ub, uc})),
                                static_cast<int>(std::max({ua, ub, uc})),
                                static_cast<int>(std::min(ua + ub, uc)),
                                static_cast<int>(std::max(ua + ub, uc)),
                                std::min(sum, c),
                                std::max(sum, c),
                                std::min(a, b),
                                a <= b};
        for (int i = 0; i < 14; ++i) EXPECT_EQ(results[n][i], expected[i]) << "case " << n << ", result " << i;
    }
}
TEST(IntegerFunctions, MinimaAndMaximaOfThree) { extremes_of_three(); }

void halves_of_a_word() {
    const std::vector<Several<unsigned, 3>> words = {{{0x0001ffffu, 0x00020001u, 0x7fff0002u}}, {{0xffffffffu, 0xfffe0001u, 0x80000002u}}};
    const auto results = on_device<Several<unsigned, 6>>(words, [] __device__(Several<unsigned, 3> in) {
        const unsigned a = in[0], b = in[1], c = in[2];
        return Several<unsigned, 6>{__vimin3_s16x2(a, b, c), __vimax3_s16x2(a, b, c),      __vimin3_u16x2(a, b, c),
                                    __vimax3_u16x2(a, b, c), __vimin3_s16x2_relu(a, b, c), __vimax3_s16x2_relu(a, b, c)};
    });
    const unsigned expected[] = {0x0001ffffu, 0x7fff0002u, 0x00010001u, 0x7fffffffu, 0x00010000u};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(results[0][i], expected[i]) << i;
    EXPECT_EQ(results[1][5], 0x00000002u);
}
TEST(IntegerFunctions, HalvesOfAWordAreComparedEachForItself) { halves_of_a_word(); }

TEST(MinMax, HaveTheResultTypesOfCuda) {
    static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned> && std::is_same_v<decltype(max(1L, 2L)), long>);
    static_assert(std::is_same_v<decltype(min(1.0f, 2.0)), double> && std::is_same_v<decltype(max(1.0f, 2.0f)), float>);
    static_assert(std::is_same_v<decltype(max(1ll, 2ull)), unsigned long long>);
}

struct Conversions {
    int nearest, zero, up, down;
    long long wide;
    float float_down, float_up, float_zero, float_nearest;
};

void conversions_round() {
    const auto values = random_values<double>(500);
    const auto results = on_device<Conversions>(values, [] __device__(double x) {
        const auto f = static_cast<float>(x);
        return Conversions{__float2int_rn(f),    __float2int_rz(f),    __float2int_ru(f),    __float2int_rd(f),   __double2ll_rn(x),
                           __double2float_rd(x), __double2float_ru(x), __double2float_rz(x), __double2float_rn(x)};
    });
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        const auto f = static_cast<float>(x);
        const Conversions& c = results[i];
        EXPECT_EQ(c.nearest, std::lrint(f));
        EXPECT_EQ(c.zero, static_cast<int>(f));
        EXPECT_EQ(c.up, static_cast<int>(std::ceil(f)));
        EXPECT_EQ(c.down, static_cast<int>(std::floor(f)));
        EXPECT_EQ(c.wide, std::llrint(x));
        // The directed results enclose the number, one unit in the last place apart.
        EXPECT_LE(static_cast<double>(c.float_down), x);
        EXPECT_GE(static_cast<double>(c.float_up), x);
        EXPECT_LE(std::fabs(c.float_zero), std::fabs(x));
        EXPECT_EQ(c.float_nearest, f);
        EXPECT_LE(c.float_up, std::nextafter(c.float_down, INFINITY));
    }
    const auto limits = on_device<Several<int, 3>>(std::vector<float>{1e20f, -1e20f, -5.0f, NAN, 2.5f}, [] __device__(float x) {
        return Several<int, 3>{__float2int_rn(x), __float2int_rz(x), int(__float2uint_rz(x))};
    });
    EXPECT_EQ(limits[0][0], std::numeric_limits<int>::max());
    EXPECT_EQ(limits[1][1], std::numeric_limits<int>::min());
    EXPECT_EQ(limits[2][2], 0);
    EXPECT_EQ(limits[3][1], 0);
    EXPECT_EQ(limits[4][0], 2);
    const auto floats = on_device<Several<float, 3>>(std::vector<unsigned>{16777217, 0xffffffffu}, [] __device__(unsigned x) {
        return Several<float, 3>{__int2float_rz(int(x)), __int2float_ru(int(x)), __uint2float_rd(x)};
    });
    EXPECT_EQ(floats[0][0], 16777216.0f);
    EXPECT_EQ(floats[0][1], 16777218.0f);
    EXPECT_EQ(floats[1][2], 4294967040.0f);
}
TEST(Conversions, RoundAsTheirSuffixSays) { conversions_round(); }

void conversions_keep_bits() {
    const auto values = random_values<float>(100);
    const auto results = on_device<int>(values, [] __device__(float f) {
        const double d = static_cast<double>(f) / 3;
        return __int_as_float(__float_as_int(f)) == f && __uint_as_float(__float_as_uint(f)) == f &&
               __longlong_as_double(__double_as_longlong(d)) == d && __hiloint2double(__double2hiint(d), __double2loint(d)) == d;
    });
    for (const int kept : results) EXPECT_TRUE(kept);
}

struct Rounded {
    float product_nearest, product_down, product_up, product_zero, sum_down, root_down;
    double root_up, root_down_wide, fused;
};

void arithmetic_rounds() {
    const auto a = random_values<float>(300, 8), b = random_values<float>(300, 9);
    const auto results = on_device<Rounded>(pairs(a, b), [] __device__(Several<float, 2> in) {
        const float x = in[0], y = in[1];
        return Rounded{__fmul_rn(x, y),      __fmul_rd(x, y),      __fmul_ru(x, y),      __fmul_rz(x, y),    __fadd_rd(x, y),
                       __fsqrt_rd(fabsf(x)), __dsqrt_ru(fabsf(y)), __dsqrt_rd(fabsf(y)), __fma_rn(x, y, 1.0)};
    });
    for (int i = 0; i < 300; ++i) {
        // Products of floats are exact as doubles.
        const double product = static_cast<double>(a[i]) * b[i];
        const Rounded& r = results[i];
        EXPECT_EQ(r.product_nearest, static_cast<float>(product));
        EXPECT_LE(r.product_down, product);
        EXPECT_GE(r.product_up, product);
        EXPECT_LE(std::fabs(r.product_zero), std::fabs(product));
        EXPECT_LE(r.product_up, std::nextafter(r.product_down, INFINITY));
        EXPECT_LE(r.sum_down, static_cast<double>(a[i]) + b[i]);
        EXPECT_LE(r.root_down, std::sqrt(static_cast<double>(std::fabs(a[i]))));
        EXPECT_GE(r.root_up, r.root_down_wide);
        EXPECT_EQ(r.fused, std::fma(static_cast<double>(a[i]), static_cast<double>(b[i]), 1.0));
    }
    const auto thirds = on_device<Several<double, 4>>(std::vector<double>{3}, [] __device__(double x) {
        return Several<double, 4>{__ddiv_rd(1, x), __ddiv_ru(1, x), __frcp_rd(float(x)), __frcp_ru(float(x))};
    });
    EXPECT_EQ(thirds[0][1], std::nextafter(thirds[0][0], 1.0));
    EXPECT_EQ(static_cast<float>(thirds[0][3]), std::nextafter(static_cast<float>(thirds[0][2]), 1.0f));
}
TEST(Conversions, KeepBits) { conversions_keep_bits(); }
TEST(Arithmetic, RoundsAsItsSuffixSays) { arithmetic_rounds(); }

void functions_beyond_the_standard() {
    const auto values = random_values<double>(200);
    const auto results = on_device<Several<double, 9>>(values, [] __device__(double x) {
        const double p = fabs(x) + 0.1;
        return Several<double, 9>{
            rsqrt(p),     double(rsqrtf(float(p))),           rcbrt(p),        sinpi(x),
            cospi(x),     normcdf(x / 30) + normcdf(-x / 30), norm3d(x, 2, 3), norm4d(x, 2, 3, 4) * rnorm4d(x, 2, 3, 4),
            erfcx(p / 20)};
    });
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i], p = std::fabs(x) + 0.1;
        const auto& r = results[i];
        EXPECT_NEAR(r[0] * std::sqrt(p), 1, 1e-12);
        EXPECT_NEAR(r[1] * std::sqrt(float(p)), 1, 1e-5);
        EXPECT_NEAR(r[2] * std::cbrt(p), 1, 1e-12);
        EXPECT_NEAR(r[3], std::sin(CUDART_PI * x), 1e-11);
        EXPECT_NEAR(r[4], std::cos(CUDART_PI * x), 1e-11);
        EXPECT_NEAR(r[5], 1, 1e-12);
        EXPECT_NEAR(r[6], std::sqrt(x * x + 13), 1e-9);
        EXPECT_NEAR(r[7], 1, 1e-12);
        EXPECT_NEAR(r[8] * std::exp(-p * p / 400), std::erfc(p / 20), 1e-12);
    }
    const auto fast = on_device<Several<float, 6>>(std::vector<float>{0.5f, -1, 7, NAN}, [] __device__(float x) {
        float s = 0, c = 0, fast_s = 0, fast_c = 0;
        sincosf(x, &s, &c);
        __sincosf(x, &fast_s, &fast_c);
        return Several<float, 6>{s, c, fast_s, fast_c, __expf(x), __saturatef(x)};
    });
    EXPECT_NEAR(fast[0][0], std::sin(0.5f), 1e-6);
    EXPECT_NEAR(fast[0][1], std::cos(0.5f), 1e-6);
    EXPECT_NEAR(fast[0][2], std::sin(0.5f), 1e-6);
    EXPECT_NEAR(fast[0][3], std::cos(0.5f), 1e-6);
    EXPECT_NEAR(fast[0][4], std::exp(0.5f), 1e-6);
    EXPECT_EQ(fast[0][5], 0.5f);
    EXPECT_EQ(fast[1][5], 0.0f);
    EXPECT_EQ(fast[2][5], 1.0f);
    EXPECT_EQ(fast[3][5], 0.0f);
}
TEST(Mathematics, HasTheFunctionsBeyondTheStandards) { functions_beyond_the_standard(); }

__global__ void through_hints(float4* out, const float4* in, int* ints) {
    const float4 v = __ldg(&in[threadIdx.x]);
    __stcs(&out[threadIdx.x], make_float4(v.x, v.x, v.x, v.x));
    __stcg(ints + threadIdx.x, __ldcs(ints + threadIdx.x) + max(1, 2));
}

TEST(MemoryHints, ArePlainAccessesOnTheUsersLine) {
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

}  // namespace
