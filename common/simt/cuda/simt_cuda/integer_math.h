// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Integer intrinsics.
#pragma once

#include <bit>
#include <cstdint>

constexpr int __popc(unsigned x) { return std::popcount(x); }
constexpr int __popcll(unsigned long long x) { return std::popcount(x); }
constexpr int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
constexpr int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
/// Position of the lowest set bit, counted from 1; 0 if there is none.
constexpr int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
constexpr int __ffsll(long long x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1; }

constexpr unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1u) << (31 - i);
    return reversed;
}

constexpr unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 | __brev(static_cast<unsigned>(x >> 32));
}

/// Four bytes picked from the eight of `high:low`, one by each hexadecimal digit of `selector`. The digit's top bit asks
/// for the sign of the byte instead of the byte.
constexpr unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const std::uint64_t bytes = static_cast<std::uint64_t>(high) << 32 | low;
    unsigned picked = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned digit = selector >> (4 * i) & 0xFu;
        unsigned byte = static_cast<unsigned>(bytes >> (8 * (digit & 7u))) & 0xFFu;
        if (digit & 8u) byte = byte & 0x80u ? 0xFFu : 0u;
        picked |= byte << (8 * i);
    }
    return picked;
}

/// The upper half of `high:low` shifted left by `shift` modulo 32.
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned>((both << (shift & 31u)) >> 32);
}
/// The same with `shift` limited to 32.
constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
/// The lower half of `high:low` shifted right by `shift` modulo 32.
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31u));
}
/// The same with `shift` limited to 32.
constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/// The low 32 bits of the product of the low 24 bits.
constexpr int __mul24(int a, int b)
{
    const auto low = [](int x) { return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8); };
    return static_cast<int>(static_cast<std::uint32_t>(low(a) * low(b)));
}
constexpr unsigned __umul24(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<std::uint64_t>(a & 0xFFFFFFu) * (b & 0xFFFFFFu));
}

/// The high half of a product.
constexpr int __mulhi(int a, int b) { return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32); }
constexpr unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32); }
constexpr long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

/// |a − b| + c.
constexpr unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
constexpr unsigned __sad(int a, int b, unsigned c)
{
    const auto x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);
    return (a < b ? y - x : x - y) + c;
}

/// Averages without overflow, rounded down and (`r`) up.
constexpr int __hadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1); }
constexpr int __rhadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1); }
constexpr unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) >> 1); }
constexpr unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b + 1) >> 1); }

/// The sum of the products of the four bytes, plus `sum`.
constexpr int __dp4a(int a, int b, int sum)
{
    auto total = static_cast<unsigned>(sum);
    for (int i = 0; i < 4; ++i)
        total += static_cast<unsigned>(static_cast<std::int8_t>(a >> 8 * i) * static_cast<std::int8_t>(b >> 8 * i));
    return static_cast<int>(total);
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned sum)
{
    for (int i = 0; i < 4; ++i) sum += (a >> 8 * i & 0xFFu) * (b >> 8 * i & 0xFFu);
    return sum;
}
