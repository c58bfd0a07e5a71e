#include <bit>
#include <cmath>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

struct Add {
    template <class T> static T of(T a, T b) { return static_cast<T>(Word<T>{a} + Word<T>{b}); }
};

struct Subtract {
    template <class T> static T of(T a, T b) { return static_cast<T>(Word<T>{a} - Word<T>{b}); }
};

/// `.sat`, for s32 alone.
struct AddSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b) { return clamp_to<std::int32_t>(std::int64_t{a} + std::int64_t{b}); }
};

struct SubtractSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b) { return clamp_to<std::int32_t>(std::int64_t{a} - std::int64_t{b}); }
};

struct MultiplyLow {
    template <class T> static T of(T a, T b) { return static_cast<T>(Word<T>{a} * Word<T>{b}); }
    template <class T> static T of(T a, T b, T c) { return static_cast<T>(Word<T>{a} * Word<T>{b} + Word<T>{c}); }
};

struct MultiplyHigh {
    template <class T> static T of(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> bits_of<T>); }
    template <class T> static T of(T a, T b, T c) {
        using Bits = std::make_unsigned_t<T>;
        return static_cast<T>(Add::of(static_cast<Bits>(of(a, b)), static_cast<Bits>(c)));
    }
};

/// mad.hi.sat.s32.
struct MultiplyHighAddSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
        return clamp_to<std::int32_t>(std::int64_t{MultiplyHigh::of(a, b)} + c);
    }
};

struct MultiplyWide {
    template <class T> static Wide<T> of(T a, T b) { return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); }
    template <class T> static Wide<T> of(T a, T b, Wide<T> c) {
        using Bits = std::make_unsigned_t<Wide<T>>;
        return static_cast<Wide<T>>(Add::of(static_cast<Bits>(of(a, b)), static_cast<Bits>(c)));
    }
};

/// The product of the lower 24 bits, of 48 bits.
template <class T> std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> product_of_24_bits(T a, T b) {
    const auto narrow = [](T x) {
        return std::is_signed_v<T> ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8}
                                   : static_cast<std::int64_t>(static_cast<std::uint32_t>(x) & 0xffffffU);
    };
    return static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(narrow(a) * narrow(b));
}

struct Multiply24Low {
    template <class T> static T of(T a, T b) { return static_cast<T>(product_of_24_bits(a, b)); }
    template <class T> static T of(T a, T b, T c) {
        return static_cast<T>(static_cast<std::uint32_t>(of(a, b)) + static_cast<std::uint32_t>(c));
    }
};

/// Bits 47 to 16 of the product.
struct Multiply24High {
    template <class T> static T of(T a, T b) { return static_cast<T>(product_of_24_bits(a, b) >> 16); }
    template <class T> static T of(T a, T b, T c) {
        return static_cast<T>(static_cast<std::uint32_t>(of(a, b)) + static_cast<std::uint32_t>(c));
    }
};

struct Multiply24HighAddSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
        return clamp_to<std::int32_t>(std::int64_t{Multiply24High::of(a, b)} + c);
    }
};

struct SumOfAbsoluteDifference {
    template <class T> static T of(T a, T b, T c) {
        using Bits = std::make_unsigned_t<T>;
        const Bits x = static_cast<Bits>(a), y = static_cast<Bits>(b);
        const Bits difference = a < b ? Subtract::of(y, x) : Subtract::of(x, y);
        return static_cast<T>(Add::of(static_cast<Bits>(c), difference));
    }
};

/// The quotient of integers of at most 32 bits, where b is neither 0 nor, for signed integers, -1. A double holds both integers, and
/// no fractional quotient is so close to a whole number that rounding reaches it. Unlike divisions of integers, divisions of doubles
/// become vector instructions.
template <class T> T quotient(T a, T b) {
    const double exact = static_cast<double>(a) / static_cast<double>(b);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<std::int32_t>(exact));
    const auto shifted = static_cast<std::int32_t>(std::floor(exact) - 0x1p31);  // has a vector conversion
    return static_cast<T>(static_cast<std::uint32_t>(shifted) ^ 0x80000000);
}

inline std::uint64_t quotient(std::uint64_t a, std::uint64_t b) { return a / b; }

inline std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b; }

/// Divides as an H200 does where the document leaves the result open: after a division by zero, quotient and remainder are all ones.
struct Divide {
    template <class T> static T of(T a, T b) {
        constexpr T ones = static_cast<T>(~T{0});
        const bool negates = std::is_signed_v<T> && b == ones;
        const T result = quotient(a, b == 0 || negates ? T{1} : b);
        const T opposite = static_cast<T>(Word<T>{0} - static_cast<Word<T>>(a));
        return b == 0 ? ones : (negates ? opposite : result);
    }
};

struct Remainder {
    template <class T> static T of(T a, T b) {
        const bool negates = std::is_signed_v<T> && b == static_cast<T>(~T{0});
        const T divisor = b == 0 || negates ? T{1} : b;
        const Word<T> multiple = static_cast<Word<T>>(quotient(a, divisor)) * static_cast<Word<T>>(divisor);
        return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(static_cast<Word<T>>(a) - multiple);
    }
};

/// rem of 32 bits. Kernels mostly divide by one power of two in all lanes, as in `threadIdx.x % (2 * stride)`.
template <class T> void remainder_of_words(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const T *a = values<T>(file, instruction.operand[1]), *b = values<T>(file, instruction.operand[2]);
        T* const destination = values<T>(file, instruction.operand[0]);
        const T divisor = b[0];
        if (divisor > 0 && (divisor & (divisor - 1)) == 0 && lanes_where<T>([=](int lane) { return b[lane] == divisor; }) == all_lanes)
            write_lanes(file.active, destination, [=](int lane) {
                const T low = a[lane] & (divisor - 1);
                return std::is_signed_v<T> && a[lane] < T{0} && low != 0 ? low - divisor : low;
            });
        else write_lanes(file.active, destination, [=](int lane) { return Remainder::of(a[lane], b[lane]); });
    }
}

struct Absolute {
    template <class T> static T of(T a) { return a < 0 ? static_cast<T>(Word<T>{0} - static_cast<Word<T>>(a)) : a; }
};

struct Negate {
    template <class T> static T of(T a) { return static_cast<T>(Word<T>{0} - static_cast<Word<T>>(a)); }
};

struct Minimum {
    template <class T> static T of(T a, T b) { return a < b ? a : b; }
};

struct Maximum {
    template <class T> static T of(T a, T b) { return a < b ? b : a; }
};

/// `.relu`: negative results become 0.
template <class Operator> struct Rectified {
    template <class T> static T of(T a, T b) { return Maximum::of(Operator::of(a, b), T{0}); }
};

template <class Operator> Execute binary_of_bits(Type type) {
    if (type == Type::u16x2 || type == Type::s16x2) return packed<Operator, std::uint16_t, 2>;
    return with_bits(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 2>(); });
}

template <class Operator> Execute binary_of_integers(Type type) {
    if (type == Type::u16x2) return packed<Operator, std::uint16_t, 2>;
    if (type == Type::s16x2) return packed<Operator, std::int16_t, 2>;
    return with_integer(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 2>(); });
}

template <class Operator> Execute unary_of_integers(Type type) {
    return with_integer(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 1>(); });
}

template <class Operator> Execute ternary_of_bits(Type type) {
    return with_bits(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 3>(); });
}

template <class Operator> Execute ternary_of_integers(Type type) {
    return with_integer(type, [](auto zero) -> Execute { return handler<Operator, decltype(zero), 3>(); });
}

/// The same operation for u32 or s32 alone.
template <class Operator> Execute of_32_bits(Type type, bool adds) {
    using U = std::uint32_t;
    using S = std::int32_t;
    if (type == Type::u32) return adds ? handler<Operator, U, 3>() : handler<Operator, U, 2>();
    if (type == Type::s32) return adds ? handler<Operator, S, 3>() : handler<Operator, S, 2>();
    return nullptr;
}

Type wide_type(Type type) {
    switch (type) {
        case Type::u16: return Type::u32;
        case Type::s16: return Type::s32;
        case Type::u32: return Type::u64;
        case Type::s32: return Type::s64;
        default: return Type::none;
    }
}

template <class T> Execute wide_product(bool adds) {
    return adds ? lanewise<MultiplyWide, Wide<T>, T, T, Wide<T>> : lanewise<MultiplyWide, Wide<T>, T, T>;
}

Semantics find_wide_product(Type type, bool adds) {
    const Type wide = wide_type(type);
    switch (type) {
        case Type::u16: return semantics(wide_product<std::uint16_t>(adds), wide, type, type, wide);
        case Type::s16: return semantics(wide_product<std::int16_t>(adds), wide, type, type, wide);
        case Type::u32: return semantics(wide_product<std::uint32_t>(adds), wide, type, type, wide);
        case Type::s32: return semantics(wide_product<std::int32_t>(adds), wide, type, type, wide);
        default: return {};
    }
}

/// mul and mad.
template <bool adds> Semantics find_product(const ptx::Instruction& instruction, Type type) {
    if (instruction.has("wide")) return find_wide_product(type, adds);
    if (instruction.has("lo")) return semantics(adds ? ternary_of_bits<MultiplyLow>(type) : binary_of_bits<MultiplyLow>(type), type);
    if (!instruction.has("hi")) return {};
    if (adds && instruction.has("sat")) {
        return semantics(type == Type::s32 ? handler<MultiplyHighAddSaturated, std::int32_t, 3>() : nullptr, type);
    }
    return semantics(adds ? ternary_of_integers<MultiplyHigh>(type) : binary_of_integers<MultiplyHigh>(type), type);
}

/// mul24 and mad24.
template <bool adds> Semantics find_product_of_24_bits(const ptx::Instruction& instruction, Type type) {
    if (instruction.has("lo")) return semantics(of_32_bits<Multiply24Low>(type, adds), type);
    if (adds && instruction.has("sat")) {
        return semantics(type == Type::s32 ? handler<Multiply24HighAddSaturated, std::int32_t, 3>() : nullptr, type);
    }
    return semantics(of_32_bits<Multiply24High>(type, adds), type);
}

template <class Operator, class Saturated> Semantics find_sum(const ptx::Instruction& instruction, Type type) {
    if (instruction.has("sat")) return semantics(type == Type::s32 ? handler<Saturated, std::int32_t, 2>() : nullptr, type);
    return semantics(binary_of_bits<Operator>(type), type);
}

template <class Operator> Semantics find_extreme(const ptx::Instruction& instruction, Type type) {
    if (!instruction.has("relu")) return semantics(binary_of_integers<Operator>(type), type);
    if (type == Type::s32) return semantics(handler<Rectified<Operator>, std::int32_t, 2>(), type);
    if (type == Type::s16x2) return semantics(packed<Rectified<Operator>, std::int16_t, 2>, type);
    return {};
}

/// An operation whose handler depends on the type alone.
template <Execute (*handler_for)(Type)> Semantics find_by_type(const ptx::Instruction&, Type type) {
    return semantics(handler_for(type), type);
}

bool is_integer(Type type) {
    const Execute any = handler<Add, std::uint32_t, 2>();
    return type == Type::u16x2 || type == Type::s16x2 || with_integer(type, [=](auto) { return any; }) != nullptr;
}

/// Integers of every size, without the carry flag.
template <Semantics (*find)(const ptx::Instruction&, Type)> Semantics of_integers(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return is_integer(type) && !instruction.has("cc") ? find(instruction, type) : Semantics{};
}

}  // namespace

SIMT_FINDER(find_integer_add, of_integers<find_sum<Add, AddSaturated>>)
SIMT_FINDER(find_integer_subtract, of_integers<find_sum<Subtract, SubtractSaturated>>)
SIMT_FINDER(find_integer_multiply, of_integers<find_product<false>>)
SIMT_FINDER(find_integer_multiply_add, of_integers<find_product<true>>)
SIMT_FINDER(find_integer_multiply_24, of_integers<find_product_of_24_bits<false>>)
SIMT_FINDER(find_integer_multiply_add_24, of_integers<find_product_of_24_bits<true>>)
SIMT_FINDER(find_integer_sum_of_differences, of_integers<find_by_type<ternary_of_integers<SumOfAbsoluteDifference>>>)
SIMT_FINDER(find_integer_divide, of_integers<find_by_type<binary_of_integers<Divide>>>)

Semantics find_integer_remainder(const ptx::Instruction& instruction) {
    Semantics found = of_integers<find_by_type<binary_of_integers<Remainder>>>(instruction);
    if (found.execute && instruction.type() == Type::u32) found.execute = remainder_of_words<std::uint32_t>;
    if (found.execute && instruction.type() == Type::s32) found.execute = remainder_of_words<std::int32_t>;
    return found;
}

SIMT_FINDER(find_integer_absolute, of_integers<find_by_type<unary_of_integers<Absolute>>>)
SIMT_FINDER(find_integer_negate, of_integers<find_by_type<unary_of_integers<Negate>>>)
SIMT_FINDER(find_integer_minimum, of_integers<find_extreme<Minimum>>)
SIMT_FINDER(find_integer_maximum, of_integers<find_extreme<Maximum>>)

}  // namespace simt::interpreter
