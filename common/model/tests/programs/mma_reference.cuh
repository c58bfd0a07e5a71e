// Values of small formats, and the comparison of a product with one in double precision.

#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

enum class Type { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, e4m3, e5m2, s32 };

inline int bits_of(Type type) {
    switch (type) {
        case Type::f16:
        case Type::bf16: return 16;
        case Type::f64: return 64;
        case Type::s8:
        case Type::u8:
        case Type::e4m3:
        case Type::e5m2: return 8;
        case Type::s4:
        case Type::u4: return 4;
        case Type::b1: return 1;
        default: return 32;
    }
}

inline bool is_integer(Type type) {
    return type == Type::s8 || type == Type::u8 || type == Type::s4 || type == Type::u4 || type == Type::b1 || type == Type::s32;
}

template <class T> T from_bits(unsigned long long bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> unsigned long long to_bits(T value) {
    unsigned long long bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

inline double value_of(Type type, unsigned long long bits) {
    switch (type) {
        case Type::f16: return __half2float(from_bits<__half>(bits));
        case Type::bf16: return __bfloat162float(from_bits<__nv_bfloat16>(bits));
        case Type::tf32:
        case Type::f32: return from_bits<float>(bits);
        case Type::f64: return from_bits<double>(bits);
        case Type::s8: return static_cast<signed char>(bits);
        case Type::s4: return static_cast<int>(bits & 7) - static_cast<int>(bits & 8);
        case Type::e4m3: {
            __nv_fp8_e4m3 value;
            value.__x = static_cast<unsigned char>(bits);
            return static_cast<float>(value);
        }
        case Type::e5m2: {
            __nv_fp8_e5m2 value;
            value.__x = static_cast<unsigned char>(bits);
            return static_cast<float>(value);
        }
        case Type::s32: return static_cast<int>(bits);
        default: return static_cast<double>(bits);
    }
}

/// The shape of an instruction and the types of its matrices D, A, B and C, as its text names them.
struct Described {
    int m = 0, n = 0, k = 0;
    std::vector<Type> types;
};

inline Described described(const char* text) {
    constexpr const char* names[] = {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2", "s32"};
    Described found;
    std::sscanf(text, "m%dn%dk%d", &found.m, &found.n, &found.k);
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, '.');)
        for (int type = 0; type < 13; ++type)
            if (word == names[type]) found.types.push_back(static_cast<Type>(type));
    return found;
}

/// Random bits of a value of modest size.
inline unsigned long long random_bits(Type type) {
    const int r = std::rand() >> 3;
    const float value = (r % 2001 - 1000) / 500.0f;
    switch (type) {
        case Type::f16: return to_bits(__float2half(value));
        case Type::bf16: return to_bits(__float2bfloat16(value));
        case Type::tf32: return to_bits(value) & 0xFFFFE000u;
        case Type::f32: return to_bits(value);
        case Type::f64: return to_bits(value + r * 1e-12);
        case Type::e4m3: return __nv_fp8_e4m3(value).__x;
        case Type::e5m2: return __nv_fp8_e5m2(value).__x;
        case Type::s32: return static_cast<unsigned>(r % 100000 - 50000);
        default: return static_cast<unsigned>(r) & ((1ull << bits_of(type)) - 1);
    }
}

/// D = A·B + C of m × k and k × n values; returns the number of elements of `d` that differ from that.
inline int count_errors(const char* name, int m, int n, int k, const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& c, const std::vector<double>& d, Type result, bool exclusive_or = false) {
    int errors = 0;
    const double unit = result == Type::f16 ? 2e-3 : result == Type::f64 ? 1e-14 : is_integer(result) ? 0 : 1e-5;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = c[i * n + j], size = std::fabs(sum);
            for (int l = 0; l < k; ++l) {
                const double x = a[i * k + l], y = b[l * n + j];
                const double product = exclusive_or ? (x != y) : x * y;
                sum += product;
                size += std::fabs(product);
            }
            if (std::fabs(sum - d[i * n + j]) <= unit * size) continue;
            if (++errors <= 3) std::printf("%s: element (%d, %d) is %g, and not %g\n", name, i, j, d[i * n + j], sum);
        }
    return errors;
}

// The inputs of an asm statement that `get` gives by their numbers.
#define IN1(letter, get) letter(get(0))
#define IN2(letter, get) IN1(letter, get), letter(get(1))
#define IN4(letter, get) IN2(letter, get), letter(get(2)), letter(get(3))
#define IN8(letter, get) IN4(letter, get), letter(get(4)), letter(get(5)), letter(get(6)), letter(get(7))
