// cvt to and from packed and small floating-point formats and tf32, and cvt.pack.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/encode.hpp"
#include "interpreter/arithmetic/float_math.hpp"
#include "interpreter/arithmetic/half.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

constexpr Format formats[] = {format_f16, format_bf16, format_tf32, format_e4m3, format_e5m2, format_e2m3, format_e3m2, format_e2m1};

/// The data for handlers; Semantics::immediate holds its bits.
struct Plan {
    /// Indexes into `formats`.
    std::uint8_t to = 0, from = 0;
    Rounding rounding = Rounding::nearest_even;
    bool rectifies = false;
    bool to_finite = false;
    /// Bytes of a source's and of the result's type; bits of one element of the result's.
    std::uint8_t source_bytes = 0, result_bytes = 0, element_bits = 0;
};
static_assert(sizeof(Plan) == sizeof(std::uint64_t));

int format_of(Type type) {
    switch (type) {
        case Type::f16x2: return 0;
        case Type::bf16x2: return 1;
        case Type::tf32: return 2;
        case Type::e4m3x2: return 3;
        case Type::e5m2x2: return 4;
        case Type::e2m3x2: return 5;
        case Type::e3m2x2: return 6;
        case Type::e2m1x2: return 7;
        default: return -1;
    }
}

/// Bits that an element takes in a packed value.
std::uint8_t element_bits_of(Type type) {
    if (type == Type::f16x2 || type == Type::bf16x2) return 16;
    return type == Type::e2m1x2 ? 4 : 8;
}

std::uint32_t load(const unsigned char* registers, std::size_t width, std::size_t bytes, int lane) {
    std::uint32_t value = 0;
    std::memcpy(&value, registers + lane * width, bytes);
    return value;
}

void store(unsigned char* registers, std::size_t width, int lane, std::uint32_t value) {
    const std::uint64_t bits = value;
    std::memcpy(registers + lane * width, &bits, width);
}

std::size_t width_of(const DecodedInstruction& instruction, std::size_t n, std::size_t bytes) {
    return std::max<std::size_t>(instruction.width[n], bytes);
}

std::uint32_t convert(float value, const Plan& plan) {
    const float limited = plan.rectifies && value <= 0 ? 0.0F : value;
    return encode(formats[plan.to], static_cast<double>(limited), plan.rounding, plan.to_finite);
}

/// d = {a, b}, a in the upper part, from single precision.
void pack_floats(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        const float* a = detail::operand<float>(file, instruction, 1);
        const float* b = detail::operand<float>(file, instruction, 2);
        unsigned char* destination = file.registers + instruction.operand[0];
        const std::size_t width = width_of(instruction, 0, plan.result_bytes);
        for_active(file.active, [&](int lane) {
            store(destination, width, lane, convert(a[lane], plan) << plan.element_bits | convert(b[lane], plan));
        });
    }
}

/// The most frequent packing: rounded to nearest, without other modifiers.
template <class H> struct PackHalves {
    static std::uint32_t of(float a, float b) { return std::uint32_t{round_to<H>(a).bits} << 16 | round_to<H>(b).bits; }
};

/// Each element of a packed value to another format.
void convert_elements(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        const unsigned char* source = file.registers + instruction.operand[1];
        unsigned char* destination = file.registers + instruction.operand[0];
        const std::size_t from = width_of(instruction, 1, plan.source_bytes), to = width_of(instruction, 0, plan.result_bytes);
        const Format& format = formats[plan.from];
        const int source_bits = plan.source_bytes == 1 ? 4 : 4 * plan.source_bytes;
        const std::uint32_t mask = (1U << (1 + format.exponent_bits + format.mantissa_bits)) - 1;
        for_active(file.active, [&](int lane) {
            const std::uint32_t pair = load(source, from, plan.source_bytes, lane);
            const std::uint32_t low = convert(decode(format, pair & mask), plan);
            const std::uint32_t high = convert(decode(format, pair >> source_bits & mask), plan);
            store(destination, to, lane, high << plan.element_bits | low);
        });
    }
}

/// tf32 keeps its value in the upper 19 bits of the register.
void convert_to_tf32(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        const float* a = detail::operand<float>(file, instruction, 1);
        write_lanes<true>(file.active, detail::operand<std::uint32_t>(file, instruction, 0),
                          [=](int lane) { return a[lane] != a[lane] ? canonical_nan_bits : convert(a[lane], plan) << 13; });
    }
}

/// The element type of cvt.pack in Semantics::immediate: the bits of an element, and this flag if it is signed.
constexpr std::uint64_t is_signed_flag = 256;

std::uint32_t clamp_to_bits(std::int32_t value, int bits, bool is_signed) {
    const std::int64_t greatest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = is_signed ? -greatest - 1 : 0;
    const std::uint32_t mask = (1U << bits) - 1;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, least, greatest)) & mask;
}

/// d = {a, b} and, where elements have less than 16 bits, the lower bits of c above them.
void pack_integers(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const int bits = static_cast<int>(instruction.immediate & 255);
        const bool is_signed = (instruction.immediate & is_signed_flag) != 0;
        const std::int32_t* a = detail::operand<std::int32_t>(file, instruction, 1);
        const std::int32_t* b = detail::operand<std::int32_t>(file, instruction, 2);
        const std::uint32_t* c = bits < 16 ? detail::operand<std::uint32_t>(file, instruction, 3) : nullptr;
        write_lanes<true>(file.active, detail::operand<std::uint32_t>(file, instruction, 0), [=](int lane) {
            const std::uint32_t pair = clamp_to_bits(a[lane], bits, is_signed) << bits | clamp_to_bits(b[lane], bits, is_signed);
            return c == nullptr ? pair : pair | c[lane] << 2 * bits;
        });
    }
}

Semantics find_pack(const ptx::Instruction& instruction) {
    static constexpr std::string_view names[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
    for (std::size_t n = 0; n < std::size(names); ++n) {
        if (!instruction.has(names[n])) continue;
        Semantics result = semantics(pack_integers, Type::b32, Type::s32, Type::s32, Type::b32);
        result.immediate = std::uint64_t{2} << n / 2 | (n % 2 != 0 ? is_signed_flag : 0);
        return result;
    }
    return {};
}

Plan plan_of(const ptx::Instruction& instruction, Type to, Type from) {
    Plan plan;
    plan.to = static_cast<std::uint8_t>(format_of(to));
    plan.from = static_cast<std::uint8_t>(std::max(format_of(from), 0));
    plan.rounding = rounding_of(instruction);
    plan.rectifies = instruction.has("relu");
    plan.to_finite = instruction.has("satfinite");
    plan.source_bytes = static_cast<std::uint8_t>(ptx::bytes_of(from));
    plan.result_bytes = static_cast<std::uint8_t>(ptx::bytes_of(to));
    plan.element_bits = element_bits_of(to);
    return plan;
}

Execute find_handler(const Plan& plan, Type to, Type from) {
    const bool is_plain = plan.rounding == Rounding::nearest_even && !plan.rectifies && !plan.to_finite;
    if (to == Type::tf32) return from == Type::f32 ? convert_to_tf32 : nullptr;
    if (from != Type::f32) return format_of(from) < 0 ? nullptr : convert_elements;
    if (is_plain && to == Type::f16x2) return lanewise<PackHalves<Half>, std::uint32_t, float, float>;
    if (is_plain && to == Type::bf16x2) return lanewise<PackHalves<Bfloat>, std::uint32_t, float, float>;
    return pack_floats;
}

}  // namespace

Semantics find_small_convert(const ptx::Instruction& instruction) {
    if (instruction.has("rs")) return {};
    if (instruction.has("pack")) return find_pack(instruction);
    const Type to = instruction.type(0), from = instruction.type(1);
    if (format_of(to) < 0) return {};
    const Plan plan = plan_of(instruction, to, from);
    Semantics result = semantics(find_handler(plan, to, from), to, from);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

}  // namespace simt::interpreter
