// Data movement between registers (mov, also of vectors), and selection.

#include <cstdint>
#include <cstring>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

struct Copy {
    template <class T> static T of(T a) { return a; }
};

void move_predicate(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        write_predicate(file, instruction.operand[0], read_predicate(file, instruction, 1));
    }
}

/// mov of a scalar from a vector. DecodedInstruction::immediate is the number of elements.
template <class Scalar, class Element> void pack(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        constexpr std::size_t count = sizeof(Scalar) / sizeof(Element);
        const Element* sources[count];
        for (std::size_t n = 0; n < count; ++n) sources[n] = detail::operand<Element>(file, instruction, 1 + n);
        Scalar* destination = detail::operand<Scalar>(file, instruction, 0);
        write_lanes<true>(file.active, destination, [&](int lane) {
            Element elements[count];
            for (std::size_t n = 0; n < count; ++n) elements[n] = sources[n][lane];
            Scalar result;
            std::memcpy(&result, elements, sizeof result);
            return result;
        });
    }
}

/// mov of a vector from a scalar.
template <class Scalar, class Element> void unpack(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        constexpr std::size_t count = sizeof(Scalar) / sizeof(Element);
        const Scalar* source = detail::operand<Scalar>(file, instruction, count);
        for (std::size_t n = 0; n < count; ++n)
            write_lanes(file.active, detail::operand<Element>(file, instruction, n), [&](int lane) {
                Element result;
                std::memcpy(&result, reinterpret_cast<const unsigned char*>(source + lane) + n * sizeof(Element), sizeof result);
                return result;
            });
    }
}

/// Handlers of both directions for a scalar type and a number of elements.
struct VectorMove {
    Execute pack = nullptr, unpack = nullptr;
    Type element = Type::none;
};

VectorMove find_vector_move(int bytes, std::size_t count) {
    using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;
    if (bytes == 16 && count == 2) return {pack<Bits128, uint64_t>, unpack<Bits128, uint64_t>, Type::b64};
    if (bytes == 16 && count == 4) return {pack<Bits128, uint32_t>, unpack<Bits128, uint32_t>, Type::b32};
    if (bytes == 8 && count == 2) return {pack<uint64_t, uint32_t>, unpack<uint64_t, uint32_t>, Type::b32};
    if (bytes == 8 && count == 4) return {pack<uint64_t, uint16_t>, unpack<uint64_t, uint16_t>, Type::b16};
    if (bytes == 4 && count == 2) return {pack<uint32_t, uint16_t>, unpack<uint32_t, uint16_t>, Type::b16};
    if (bytes == 4 && count == 4) return {pack<uint32_t, uint8_t>, unpack<uint32_t, uint8_t>, Type::b8};
    if (bytes == 2 && count == 2) return {pack<uint16_t, uint8_t>, unpack<uint16_t, uint8_t>, Type::b8};
    return {};
}

Semantics find_move_of_register(Type type) {
    if (type == Type::pred) return semantics(move_predicate, type);
    if (type == Type::b128) return semantics(lanewise<Copy, Bits128, Bits128>, type);
    return semantics(with_bits(type, [](auto zero) -> Execute { return lanewise<Copy, decltype(zero), decltype(zero)>; }), type);
}

/// selp d, a, b, p.
template <class T> void select(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const T* a = detail::operand<T>(file, instruction, 1);
        const T* b = detail::operand<T>(file, instruction, 2);
        const std::uint32_t chosen = read_predicate(file, instruction, 3);
        write_lanes(file.active, detail::operand<T>(file, instruction, 0),
                    [=](int lane) { return (chosen & lane_bits<T>[lane]) != 0 ? a[lane] : b[lane]; });
    }
}

/// slct d, a, b, c: a where c is not negative.
struct SelectBySign {
    template <class T> static T of(T a, T b, std::int32_t c) { return c >= 0 ? a : b; }
};

template <bool flushes> struct SelectByFloat {
    template <class T> static T of(T a, T b, float c) { return flush_if<flushes>(c) >= 0 ? a : b; }
};

}  // namespace

Semantics find_move(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const auto elements = [&](std::size_t n) {
        const bool is_vector = n < instruction.operands.size() && instruction.operands[n].kind == ptx::Operand::Kind::vector;
        return is_vector ? instruction.operands[n].elements.size() : 0;
    };
    if (const std::size_t count = elements(1); count > 0) {
        const VectorMove move = find_vector_move(ptx::bytes_of(type), count);
        return semantics(move.pack, type, move.element);
    }
    if (const std::size_t count = elements(0); count > 0) {
        const VectorMove move = find_vector_move(ptx::bytes_of(type), count);
        Semantics result = semantics(move.unpack, move.element);
        result.types[count] = type;
        return result;
    }
    return find_move_of_register(type);
}

Semantics find_select(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    return semantics(with_bits(type, [](auto zero) -> Execute { return select<decltype(zero)>; }), type, type, type, Type::pred);
}

Semantics find_select_by_sign(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const bool by_float = instruction.type(1) == Type::f32;
    const bool flushes = instruction.has("ftz");
    const Execute execute = with_bits(type, [=](auto zero) -> Execute {
        using T = decltype(zero);
        if (!by_float) return lanewise<SelectBySign, T, T, T, std::int32_t>;
        return flushes ? lanewise<SelectByFloat<true>, T, T, T, float> : lanewise<SelectByFloat<false>, T, T, T, float>;
    });
    return semantics(execute, type, type, type, by_float ? Type::f32 : Type::s32);
}

}  // namespace simt::interpreter
