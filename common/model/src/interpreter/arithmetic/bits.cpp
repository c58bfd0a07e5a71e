// Bit fields, bit counts, permutations of bytes, and dot products of bytes.

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S32 = std::int32_t;

constexpr U32 nothing_found = ~U32{0};

/// The lower `count` bits; all for more than there are.
template <class T> constexpr T lower_bits(U32 count) {
    return count >= bits_of<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
}

struct CountOnes {
    template <class T> static U32 of(T a) { return static_cast<U32>(std::popcount(a)); }
};

struct CountLeadingZeros {
    template <class T> static U32 of(T a) { return static_cast<U32>(std::countl_zero(a)); }
};

/// Position of the most significant bit that is not a copy of the sign. `as_shift`: how far it is from the top.
template <bool as_shift> struct FindLeadingBit {
    template <class T> static U32 of(T a) {
        const auto bits = static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a);
        if (bits == 0) return nothing_found;
        const auto zeros = static_cast<U32>(std::countl_zero(bits));
        return as_shift ? zeros : bits_of<T> - 1 - zeros;
    }
};

struct FindNthSet {
    static constexpr bool costly = true;
    static U32 of(U32 mask, U32 base, S32 offset) {
        if (base >= 32) return nothing_found;
        if (offset == 0) return (mask >> base & 1) != 0 ? base : nothing_found;
        const int step = offset > 0 ? 1 : -1;
        S32 left = offset;
        for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
            if ((mask >> position & 1) == 0) continue;
            left -= step;
            if (left == 0) return static_cast<U32>(position);
        }
        return nothing_found;
    }
};

struct Reverse {
    template <class T> static T of(T a) {
        T result = a;
        for (U32 distance = bits_of<T> / 2; distance != 0; distance /= 2) {
            const T every_other = static_cast<T>(~T{0} / ((T{1} << distance) + 1));
            result = static_cast<T>((result >> distance & every_other) | (result & every_other) << distance);
        }
        return result;
    }
};

struct Extract {
    template <class T> static T of(T a, U32 b, U32 c) {
        using Bits = std::make_unsigned_t<T>;
        const U32 position = b & 255, length = c & 255;
        if (length == 0) return 0;
        const U32 top = position + length - 1 < bits_of<T> ? position + length - 1 : bits_of<T> - 1;
        const bool fills = std::is_signed_v<T> && (static_cast<Bits>(a) >> top & 1) != 0;
        const Bits field = position < bits_of<T> ? static_cast<Bits>(static_cast<Bits>(a) >> position) : Bits{0};
        const U32 available = position < bits_of<T> ? bits_of<T> - position : 0;
        const Bits kept = lower_bits<Bits>(length < available ? length : available);
        return static_cast<T>((field & kept) | (fills ? static_cast<Bits>(~kept) : Bits{0}));
    }
};

struct Insert {
    template <class T> static T of(T a, T b, U32 c, U32 d) {
        const U32 position = c & 255, length = d & 255;
        if (position >= bits_of<T>) return b;
        const T mask = static_cast<T>(lower_bits<T>(length) << position);
        return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
    }
};

template <bool clamps> struct Extend {
    template <class T> static T of(T a, U32 b) {
        const U32 length = clamps ? b : b & 31;
        if (length == 0) return 0;
        return Extract::of(a, 0, length < 32 ? length : 32);
    }
};

template <bool clamps> struct MakeMask {
    static U32 of(U32 a, U32 b) {
        if (clamps && a >= 32) return 0;
        return lower_bits<U32>(clamps ? b : b & 31) << (a & 31);
    }
};

/// Byte `n` of the eight bytes b:a, where bit 3 of `n` asks for its sign instead.
U32 permuted_byte(std::uint64_t both, U32 n) {
    const auto byte = static_cast<U32>(both >> 8 * (n & 7) & 255);
    if ((n & 8) == 0) return byte;
    return (byte & 128) != 0 ? 255 : 0;
}

U32 permute(U32 a, U32 b, U32 selector) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    U32 result = 0;
    for (U32 n = 0; n < 4; ++n) result |= permuted_byte(both, selector >> 4 * n & 15) << 8 * n;
    return result;
}

struct Permute {
    static U32 of(U32 a, U32 b, U32 c) { return permute(a, b, c); }
};

/// A mode of prmt: the selectors that stand for 0, 1, 2 and 3 in the two lower bits of c.
template <U32... selectors> struct PermuteByMode {
    static U32 of(U32 a, U32 b, U32 c) {
        static constexpr U32 by_c[] = {selectors...};
        return permute(a, b, by_c[c & 3]);
    }
};

/// Part `n` of `word`, cut into parts of the size of Part.
template <class Part> std::int64_t part(U32 word, unsigned n) { return static_cast<Part>(word >> bits_of<Part> * n); }

template <class A, class B> struct DotProduct4 {
    static U32 of(U32 a, U32 b, U32 c) {
        std::int64_t sum = c;
        for (unsigned n = 0; n < 4; ++n) sum += part<A>(a, n) * part<B>(b, n);
        return static_cast<U32>(sum);
    }
};

/// A's halves times B's lower or higher two bytes.
template <class A, class B, bool high> struct DotProduct2 {
    static U32 of(U32 a, U32 b, U32 c) {
        std::int64_t sum = c;
        for (unsigned n = 0; n < 2; ++n) sum += part<A>(a, n) * part<B>(b, n + (high ? 2 : 0));
        return static_cast<U32>(sum);
    }
};

template <class A, class B> using DotProduct2Low = DotProduct2<A, B, false>;
template <class A, class B> using DotProduct2High = DotProduct2<A, B, true>;

template <template <class, class> class Operator, class UnsignedA, class SignedA>
Semantics find_dot_product(const ptx::Instruction& instruction) {
    const Type a = instruction.type(0), b = instruction.type(1);
    const bool signed_a = a == Type::s32, signed_b = b == Type::s32;
    const Type sum = signed_a || signed_b ? Type::s32 : Type::u32;
    const auto of = [](auto a_is_signed, auto b_is_signed) -> Execute {
        using A = std::conditional_t<a_is_signed, SignedA, UnsignedA>;
        using B = std::conditional_t<b_is_signed, std::int8_t, std::uint8_t>;
        return lanewise<Operator<A, B>, U32, U32, U32, U32>;
    };
    return semantics(with_flags(of, signed_a, signed_b), sum, a, b, sum);
}

/// A count or a position: u32 from 32 or 64 bits.
template <class Operator> Semantics find_count(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const bool is_wide = ptx::bytes_of(type) == 8;
    return semantics(is_wide ? lanewise<Operator, U32, std::uint64_t> : lanewise<Operator, U32, U32>, Type::u32, type);
}

template <class Operator> Execute leading_bit(Type type) {
    switch (type) {
        case Type::u32: return lanewise<Operator, U32, U32>;
        case Type::s32: return lanewise<Operator, U32, S32>;
        case Type::u64: return lanewise<Operator, U32, std::uint64_t>;
        case Type::s64: return lanewise<Operator, U32, std::int64_t>;
        default: return nullptr;
    }
}

}  // namespace

SIMT_FINDER(find_popcount, find_count<CountOnes>)
SIMT_FINDER(find_leading_zeros, find_count<CountLeadingZeros>)

Semantics find_leading_bit(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return semantics(instruction.has("shiftamt") ? leading_bit<FindLeadingBit<true>>(type) : leading_bit<FindLeadingBit<false>>(type),
                     Type::u32, type);
}

Semantics find_nth_set(const ptx::Instruction&) {
    return semantics(lanewise<FindNthSet, U32, U32, U32, S32>, Type::b32, Type::b32, Type::b32, Type::s32);
}

Semantics find_reverse(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return semantics(ptx::bytes_of(type) == 8 ? lanewise<Reverse, U64, U64> : lanewise<Reverse, U32, U32>, type);
}

Semantics find_extract(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const Execute execute = with_integer(type, [](auto zero) -> Execute {
        using T = decltype(zero);
        return lanewise<Extract, T, T, U32, U32>;
    });
    return semantics(execute, type, type, Type::u32);
}

Semantics find_insert(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const bool is_wide = ptx::bytes_of(type) == 8;
    return semantics(is_wide ? lanewise<Insert, U64, U64, U64, U32, U32> : lanewise<Insert, U32, U32, U32, U32, U32>, type, type, type,
                     Type::u32);
}

Semantics find_extension(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const bool clamps = instruction.has("clamp");
    if (type == Type::s32)
        return semantics(clamps ? lanewise<Extend<true>, S32, S32, U32> : lanewise<Extend<false>, S32, S32, U32>, type, type, Type::u32);
    return semantics(clamps ? lanewise<Extend<true>, U32, U32, U32> : lanewise<Extend<false>, U32, U32, U32>, type, type, Type::u32);
}

Semantics find_mask(const ptx::Instruction& instruction) {
    return semantics(instruction.has("clamp") ? lanewise<MakeMask<true>, U32, U32, U32> : lanewise<MakeMask<false>, U32, U32, U32>,
                     Type::b32, Type::u32);
}

SIMT_FINDER(find_dot_product_4, find_dot_product<DotProduct4, std::uint8_t, std::int8_t>)

Semantics find_dot_product_2(const ptx::Instruction& instruction) {
    return instruction.has("hi") ? find_dot_product<DotProduct2High, std::uint16_t, std::int16_t>(instruction)
                                 : find_dot_product<DotProduct2Low, std::uint16_t, std::int16_t>(instruction);
}

Semantics find_permutation(const ptx::Instruction& instruction) {
    static constexpr std::pair<std::string_view, Execute> modes[] = {
        {"f4e", lanewise<PermuteByMode<0x3210, 0x4321, 0x5432, 0x6543>, U32, U32, U32, U32>},
        {"b4e", lanewise<PermuteByMode<0x5670, 0x6701, 0x7012, 0x0123>, U32, U32, U32, U32>},
        {"rc8", lanewise<PermuteByMode<0x0000, 0x1111, 0x2222, 0x3333>, U32, U32, U32, U32>},
        {"ecl", lanewise<PermuteByMode<0x3210, 0x3211, 0x3222, 0x3333>, U32, U32, U32, U32>},
        {"ecr", lanewise<PermuteByMode<0x0000, 0x1110, 0x2210, 0x3210>, U32, U32, U32, U32>},
        {"rc16", lanewise<PermuteByMode<0x1010, 0x3232, 0x1010, 0x3232>, U32, U32, U32, U32>},
    };
    for (const auto& [name, execute] : modes)
        if (instruction.has(name)) return semantics(execute, Type::b32);
    return semantics(lanewise<Permute, U32, U32, U32, U32>, Type::b32);
}

}  // namespace simt::interpreter
