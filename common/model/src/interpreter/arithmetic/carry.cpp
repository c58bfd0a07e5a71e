// Extended-precision integer arithmetic: instructions that write or read the carry flag.

#include <cstdint>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

/// A result with its carry or borrow out.
template <class T> struct WithCarry {
    T value;
    bool carry;
};

template <class T> WithCarry<T> add(T a, T b, bool carry) {
    const T partial = a + b;
    const T sum = partial + T{carry};
    return {sum, partial < a || sum < partial};
}

template <class T> WithCarry<T> subtract(T a, T b, bool borrow) {
    const T partial = a - b;
    return {static_cast<T>(partial - T{borrow}), a < b || partial < T{borrow}};
}

/// Which half of the product `mad` adds.
enum class Product { none, low, high };

constexpr std::uint64_t reads_carry = 1, writes_carry = 2;

/// T gives the signedness of the product; sums are the same for both.
template <class T, Product product, bool subtracts> void execute(Warp& warp, const DecodedInstruction& instruction) {
    using Bits = std::make_unsigned_t<T>;
    for (RegisterFile& file : registers_of(warp)) {
        const T* a = detail::operand<T>(file, instruction, 1);
        const T* b = detail::operand<T>(file, instruction, 2);
        const Bits* c = product == Product::none ? nullptr : detail::operand<Bits>(file, instruction, 3);
        Bits* destination = detail::operand<Bits>(file, instruction, 0);
        const std::uint32_t carry_in = (instruction.immediate & reads_carry) != 0 ? file.carry : 0;
        std::uint32_t carry_out = 0;
        for_active(file.active, [&](int lane) {
            const Bits x = static_cast<Bits>(a[lane]), y = static_cast<Bits>(b[lane]);
            const bool carry = (carry_in >> lane & 1) != 0;
            WithCarry<Bits> result{};
            if constexpr (product == Product::high)
                result =
                    add(static_cast<Bits>(static_cast<Wide<T>>(a[lane]) * static_cast<Wide<T>>(b[lane]) >> bits_of<T>), c[lane], carry);
            else if constexpr (product == Product::low) result = add(static_cast<Bits>(x * y), c[lane], carry);
            else result = subtracts ? subtract(x, y, carry) : add(x, y, carry);
            destination[lane] = result.value;
            carry_out |= std::uint32_t{result.carry} << lane;
        });
        if ((instruction.immediate & writes_carry) != 0) file.carry = (file.carry & ~file.active) | carry_out;
    }
}

template <Product product, bool subtracts> Execute for_type(Type type) {
    switch (type) {
        case Type::u32: return execute<std::uint32_t, product, subtracts>;
        case Type::s32: return execute<std::int32_t, product, subtracts>;
        case Type::u64: return execute<std::uint64_t, product, subtracts>;
        case Type::s64: return execute<std::int64_t, product, subtracts>;
        default: return nullptr;
    }
}

/// @param reads the carry flag: true for addc and similar instructions
Semantics with_flags(const ptx::Instruction& instruction, bool reads, Execute execute) {
    const bool writes = instruction.has("cc");
    if (!reads && !writes) return {};
    Semantics result = semantics(execute, instruction.type());
    result.immediate = (reads ? reads_carry : 0) | (writes ? writes_carry : 0);
    return result;
}

}  // namespace

Semantics find_carry_add(const ptx::Instruction& instruction) {
    return with_flags(instruction, instruction.opcode == "addc", for_type<Product::none, false>(instruction.type()));
}

Semantics find_carry_subtract(const ptx::Instruction& instruction) {
    return with_flags(instruction, instruction.opcode == "subc", for_type<Product::none, true>(instruction.type()));
}

Semantics find_carry_multiply_add(const ptx::Instruction& instruction) {
    const Type type = instruction.type();
    const Execute execute = instruction.has("hi") ? for_type<Product::high, false>(type) : for_type<Product::low, false>(type);
    return with_flags(instruction, instruction.opcode == "madc", execute);
}

}  // namespace simt::interpreter
