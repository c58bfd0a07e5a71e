// Video instructions: scalar ones that select bytes or halves of their operands, and ones on two halves or four bytes.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "interpreter/arithmetic/by_type.hpp"
#include "interpreter/arithmetic/lanes.hpp"
#include "interpreter/arithmetic/wide.hpp"

namespace simt::interpreter {
namespace {

using ptx::Type;

enum class VideoOperation : std::uint8_t {
    add,
    subtract,
    average,
    difference,
    minimum,
    maximum,
    shift_left,
    shift_right,
    compare,
    multiply_add
};
/// The secondary operation, on the result and operand c.
enum class Secondary : std::uint8_t { none, add, minimum, maximum };
enum class Order : std::uint8_t { equal, not_equal, less, less_or_equal, greater, greater_or_equal };

// Flags of a plan. `wraps` is of shifts alone; `plus_one` and the negations are of vmad alone.
constexpr std::uint8_t signed_result = 1, signed_a = 2, signed_b = 4, saturates = 8;
constexpr std::uint8_t wraps = 16, plus_one = 16, negates_product = 32, negates_c = 64;
constexpr std::uint8_t has_c = 128;

/// The data for a handler; Semantics::immediate holds its bits.
struct Plan {
    VideoOperation operation = VideoOperation::add;
    std::uint8_t flags = 0;
    /// Scalar instructions: Part of d. Others: the elements that are written, a bit each.
    std::uint8_t destination = 0;
    /// `compare` has its Order here, and `vmad` the shift of its result. The two bits above hold the Secondary.
    std::uint8_t detail = 0;
    /// Scalar instructions: Part. Others: for each element 4 bits, the number of the source element among a's and b's.
    std::uint16_t a = 0, b = 0;

    bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    Secondary secondary() const { return static_cast<Secondary>(detail >> 6); }
};
static_assert(sizeof(Plan) == sizeof(std::uint64_t));

constexpr std::uint8_t low_detail = 63;

/// A part of a word that `.b0` to `.h1` select.
struct Part { unsigned position, bits; };
constexpr std::string_view part_names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
constexpr Part parts[] = {{0, 32}, {0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};

std::int64_t extend(std::uint32_t value, unsigned bits, bool is_signed) {
    const std::uint32_t high = value << (32 - bits);
    return is_signed ? std::int64_t{static_cast<std::int32_t>(high) >> (32 - bits)} : std::int64_t{high >> (32 - bits)};
}

std::int64_t select(std::uint32_t value, Part part, bool is_signed) { return extend(value >> part.position, part.bits, is_signed); }

std::int64_t clamp_to_bits(std::int64_t value, unsigned bits, bool is_signed) {
    const std::int64_t greatest = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    return std::clamp(value, is_signed ? -greatest - 1 : 0, greatest);
}

bool compare(Order order, std::int64_t a, std::int64_t b) {
    switch (order) {
        case Order::equal: return a == b;
        case Order::not_equal: return a != b;
        case Order::less: return a < b;
        case Order::less_or_equal: return a <= b;
        case Order::greater: return a > b;
        case Order::greater_or_equal: break;
    }
    return a >= b;
}

std::int64_t shift_amount(const Plan& plan, std::int64_t b) { return plan.has(wraps) ? b & 31 : std::min<std::int64_t>(b, 32); }

std::int64_t operate(const Plan& plan, std::int64_t a, std::int64_t b) {
    switch (plan.operation) {
        case VideoOperation::add: return a + b;
        case VideoOperation::subtract: return a - b;
        case VideoOperation::average: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case VideoOperation::difference: return a < b ? b - a : a - b;
        case VideoOperation::minimum: return std::min(a, b);
        case VideoOperation::maximum: return std::max(a, b);
        case VideoOperation::shift_left: return a * (std::int64_t{1} << shift_amount(plan, b));
        case VideoOperation::shift_right: return a >> shift_amount(plan, b);
        case VideoOperation::compare: return compare(static_cast<Order>(plan.detail & low_detail), a, b) ? 1 : 0;
        case VideoOperation::multiply_add: break;
    }
    return 0;
}

std::uint32_t combine(const Plan& plan, std::int64_t value, std::uint32_t c) {
    const std::int64_t other = extend(c, 32, plan.has(signed_result));
    switch (plan.secondary()) {
        case Secondary::none: break;
        case Secondary::add: return static_cast<std::uint32_t>(value + other);
        case Secondary::minimum: return static_cast<std::uint32_t>(std::min(value, other));
        case Secondary::maximum: return static_cast<std::uint32_t>(std::max(value, other));
    }
    return static_cast<std::uint32_t>(value);
}

std::uint32_t scalar_result(const Plan& plan, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Part part = parts[plan.destination];
    std::int64_t value = operate(plan, select(a, parts[plan.a], plan.has(signed_a)), select(b, parts[plan.b], plan.has(signed_b)));
    if (plan.has(saturates)) value = clamp_to_bits(value, part.bits, plan.has(signed_result));
    const std::uint32_t result = combine(plan, value, c);
    if (part.bits == 32) return result;
    const std::uint32_t mask = ((1U << part.bits) - 1) << part.position;
    return (c & ~mask) | (result << part.position & mask);
}

std::uint32_t multiply_add(const Plan& plan, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const bool is_signed = plan.has(signed_a) || plan.has(signed_b) || plan.has(negates_product) || plan.has(negates_c);
    Int128 product = static_cast<Int128>(select(a, parts[plan.a], plan.has(signed_a))) * select(b, parts[plan.b], plan.has(signed_b));
    if (plan.has(negates_product)) product = -product;
    const Int128 addend = extend(plan.has(negates_c) ? ~c : c, 32, is_signed);
    const Int128 sum = product + addend + (plan.has(plus_one) || plan.has(negates_c) ? 1 : 0);
    const Int128 scaled = sum >> (plan.detail & low_detail);
    if (!plan.has(saturates)) return static_cast<std::uint32_t>(scaled);
    return is_signed ? static_cast<std::uint32_t>(clamp_to<std::int32_t>(scaled)) : clamp_to<std::uint32_t>(scaled);
}

/// Elements of `bits` bits each.
template <unsigned bits> std::uint32_t packed_result(const Plan& plan, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    const bool accumulates = plan.secondary() == Secondary::add;
    std::uint32_t result = c;
    for (unsigned n = 0; n < 32 / bits; ++n) {
        if ((plan.destination >> n & 1) == 0) continue;
        const auto element = [&](std::uint32_t selector, bool is_signed) {
            return extend(static_cast<std::uint32_t>(both >> bits * (selector >> 4 * n & 7)), bits, is_signed);
        };
        std::int64_t value = operate(plan, element(plan.a, plan.has(signed_a)), element(plan.b, plan.has(signed_b)));
        if (plan.has(saturates)) value = clamp_to_bits(value, bits, plan.has(signed_result));
        const std::uint32_t mask = ((1U << bits) - 1) << bits * n;
        const auto word = static_cast<std::uint32_t>(value);
        result = accumulates ? result + word : (result & ~mask) | (word << bits * n & mask);
    }
    return result;
}

using Result = std::uint32_t (*)(const Plan&, std::uint32_t a, std::uint32_t b, std::uint32_t c);

template <Result result> void execute(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) {
        const Plan plan = std::bit_cast<Plan>(instruction.immediate);
        const std::uint32_t* a = detail::operand<std::uint32_t>(file, instruction, 1);
        const std::uint32_t* b = detail::operand<std::uint32_t>(file, instruction, 2);
        const std::uint32_t* c = plan.has(has_c) ? detail::operand<std::uint32_t>(file, instruction, 3) : nullptr;
        write_lanes<true>(file.active, detail::operand<std::uint32_t>(file, instruction, 0),
                          [=](int lane) { return result(plan, a[lane], b[lane], c == nullptr ? 0 : c[lane]); });
    }
}

/// The selector after operand `n`; empty if there is none.
std::string_view selector(const ptx::Instruction& instruction, std::size_t n) {
    const bool is_there = n < instruction.operands.size() && instruction.operands[n].kind == ptx::Operand::Kind::reg;
    return is_there ? std::string_view(instruction.operands[n].name) : std::string_view();
}

bool is_negated(const ptx::Instruction& instruction, std::size_t n) {
    return n < instruction.operands.size() && instruction.operands[n].negated;
}

std::uint8_t part_of(const ptx::Instruction& instruction, std::size_t n) {
    const auto found = std::find(std::begin(part_names), std::end(part_names), selector(instruction, n));
    return found == std::end(part_names) ? std::uint8_t{0} : static_cast<std::uint8_t>(found - std::begin(part_names));
}

/// The source elements that `.b7654` or `.h32` names, the lowest in the lowest bits.
std::uint16_t elements_of(std::string_view selector, std::uint16_t otherwise) {
    if (selector.size() < 2) return otherwise;
    std::uint16_t result = 0;
    for (const char digit : selector.substr(1)) result = static_cast<std::uint16_t>(result << 4 | (digit - '0'));
    return result;
}

/// The elements that the mask `.b310` or `.h1` names, a bit each.
std::uint8_t mask_of(std::string_view selector, unsigned elements) {
    if (selector.size() < 2) return static_cast<std::uint8_t>((1U << elements) - 1);
    std::uint8_t result = 0;
    for (const char digit : selector.substr(1)) result = static_cast<std::uint8_t>(result | 1 << (digit - '0'));
    return result;
}

std::uint8_t order_of(const ptx::Instruction& instruction) {
    static constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (std::uint8_t n = 0; n < std::size(names); ++n)
        if (instruction.has(names[n])) return n;
    return 0;
}

Secondary secondary_of(const ptx::Instruction& instruction) {
    if (instruction.has("add")) return Secondary::add;
    if (instruction.has("min")) return Secondary::minimum;
    return instruction.has("max") ? Secondary::maximum : Secondary::none;
}

std::uint8_t flags_of(const ptx::Instruction& instruction, VideoOperation operation) {
    const bool compares = operation == VideoOperation::compare;  // it has no type of d
    const auto is_signed = [&](int n) { return instruction.type(n) == Type::s32; };
    unsigned flags = instruction.operands.size() > 3 ? has_c : 0U;
    if (!compares && is_signed(0)) flags |= signed_result;
    if (is_signed(compares ? 0 : 1)) flags |= signed_a;
    if (is_signed(compares ? 1 : 2)) flags |= signed_b;
    if (instruction.has("sat")) flags |= saturates;
    if (instruction.has("wrap")) flags |= wraps;
    if (operation == VideoOperation::multiply_add) {
        if (instruction.has("po")) flags |= plus_one;
        if (is_negated(instruction, 1) != is_negated(instruction, 2)) flags |= negates_product;
        if (is_negated(instruction, 3)) flags |= negates_c;
    }
    return static_cast<std::uint8_t>(flags);
}

Semantics find_scalar(const ptx::Instruction& instruction, Plan plan) {
    plan.destination = part_of(instruction, 0);
    plan.a = part_of(instruction, 1);
    plan.b = part_of(instruction, 2);
    const bool multiplies = plan.operation == VideoOperation::multiply_add;
    if (multiplies) plan.detail = instruction.has("shr7") ? 7 : (instruction.has("shr15") ? 15 : 0);
    Semantics result = semantics(multiplies ? execute<multiply_add> : execute<scalar_result>, Type::b32);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

Semantics find_packed(const ptx::Instruction& instruction, Plan plan, bool of_bytes) {
    plan.destination = mask_of(selector(instruction, 0), of_bytes ? 4 : 2);
    plan.a = elements_of(selector(instruction, 1), of_bytes ? 0x3210 : 0x10);
    plan.b = elements_of(selector(instruction, 2), of_bytes ? 0x7654 : 0x32);
    Semantics result = semantics(of_bytes ? execute<packed_result<8>> : execute<packed_result<16>>, Type::b32);
    result.immediate = std::bit_cast<std::uint64_t>(plan);
    return result;
}

/// Operands are halves or bytes if the opcode ends with 2 or 4.
template <VideoOperation operation> Semantics find_video(const ptx::Instruction& instruction) {
    Plan plan;
    plan.operation = operation;
    plan.flags = flags_of(instruction, operation);
    plan.detail = static_cast<std::uint8_t>(static_cast<unsigned>(secondary_of(instruction)) << 6);
    if (operation == VideoOperation::compare) plan.detail = static_cast<std::uint8_t>(plan.detail | order_of(instruction));
    const char last = instruction.opcode.back();
    return last == '2' || last == '4' ? find_packed(instruction, plan, last == '4') : find_scalar(instruction, plan);
}

}  // namespace

SIMT_FINDER(find_video_add, find_video<VideoOperation::add>)
SIMT_FINDER(find_video_subtract, find_video<VideoOperation::subtract>)
SIMT_FINDER(find_video_average, find_video<VideoOperation::average>)
SIMT_FINDER(find_video_difference, find_video<VideoOperation::difference>)
SIMT_FINDER(find_video_minimum, find_video<VideoOperation::minimum>)
SIMT_FINDER(find_video_maximum, find_video<VideoOperation::maximum>)
SIMT_FINDER(find_video_shift_left, find_video<VideoOperation::shift_left>)
SIMT_FINDER(find_video_shift_right, find_video<VideoOperation::shift_right>)
SIMT_FINDER(find_video_compare, find_video<VideoOperation::compare>)
SIMT_FINDER(find_video_multiply_add, find_video<VideoOperation::multiply_add>)

}  // namespace simt::interpreter
