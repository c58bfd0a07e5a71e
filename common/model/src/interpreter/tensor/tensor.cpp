#include "interpreter/tensor/tensor.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "interpreter/arithmetic/encode.hpp"
#include "interpreter/schedule/launch.hpp"

namespace simt::interpreter::tensor {

namespace {

struct Name {
    std::string_view name;
    Element element;
    int bits;
};

constexpr Name names[] = {{"f16", Element::f16, 16}, {"bf16", Element::bf16, 16}, {"tf32", Element::tf32, 32}, {"f32", Element::f32, 32},
                          {"f64", Element::f64, 64}, {"s8", Element::s8, 8},      {"u8", Element::u8, 8},      {"s4", Element::s4, 4},
                          {"u4", Element::u4, 4},    {"b1", Element::b1, 1},      {"e4m3", Element::e4m3, 8},  {"e5m2", Element::e5m2, 8},
                          {"s32", Element::s32, 32}};

std::uint64_t bits_at(const unsigned char* registers, int lane, int register_bits, int part, int bits) {
    if (register_bits == 64) {
        std::uint64_t value;
        std::memcpy(&value, registers + lane * 8, sizeof value);
        return value;
    }
    std::uint32_t value;
    std::memcpy(&value, registers + lane * 4, sizeof value);
    return bits == 32 ? value : value >> part * bits & ((1u << bits) - 1);
}

/// Calls `visit(bits, index)` for each element; `index` is its place in a matrix that lies row by row.
template <class Visit>
void for_each_element(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, Visit&& visit) {
    const int bits = bits_of(fragment.element);
    const std::uint32_t* place = fragment.place.data();
    for (int reg = 0; reg < fragment.registers; ++reg) {
        const unsigned char* from = warp.registers + instruction.operand_at(first + reg);
        for (int lane = 0; lane < warp_size; ++lane)
            for (int part = 0; part < fragment.per_register; ++part, ++place)
                visit(bits_at(from, lane, fragment.register_bits, part, bits),
                      (*place >> 16) * static_cast<std::uint32_t>(fragment.columns) + (*place & 0xFFFF));
    }
}

/// Writes `value(index)` for each element.
template <class Value>
void set_each_element(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, Value&& value) {
    const int bits = bits_of(fragment.element);
    const std::uint32_t* place = fragment.place.data();
    for (int reg = 0; reg < fragment.registers; ++reg) {
        const std::uint32_t offset = instruction.operand_at(first + reg);
        unsigned char* to = warp.registers + offset;
        const auto bytes = static_cast<std::size_t>(fragment.register_bits / 8);
        for (std::size_t lane = 0; lane < warp_size; ++lane) {
            std::uint64_t all = 0;
            for (int part = 0; part < fragment.per_register; ++part, ++place)
                all |= static_cast<std::uint64_t>(value((*place >> 16) * static_cast<std::uint32_t>(fragment.columns) + (*place & 0xFFFF)))
                       << part * bits;
            std::memcpy(to + lane * bytes, &all, bytes);
        }
    }
}

float float_of(Element element, std::uint64_t bits) {
    switch (element) {
        case Element::f16: return to_float(Half{static_cast<std::uint16_t>(bits)});
        case Element::bf16: return to_float(Bfloat{static_cast<std::uint16_t>(bits)});
        case Element::tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xFFFF'E000u);
        case Element::e4m3: return decode(format_e4m3, static_cast<std::uint32_t>(bits));
        case Element::e5m2: return decode(format_e5m2, static_cast<std::uint32_t>(bits));
        default: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
}

std::int32_t integer_of(Element element, std::uint64_t bits) {
    switch (element) {
        case Element::s8: return static_cast<std::int8_t>(bits);
        case Element::s4: return static_cast<std::int32_t>(bits & 7) - static_cast<std::int32_t>(bits & 8);
        default: return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    }
}

/// Computes the sums of `Columns` adjacent columns together, so that the compiler makes vector instructions of them.
template <std::size_t Columns, class T> void multiply_rows(const Product& product, const T* a, const T* b, T* c) {
    for (int row = 0; row < product.m; ++row)
        for (int column = 0; column < product.n; column += static_cast<int>(Columns)) {
            T sum[Columns];
            T* result = c + row * product.n + column;
            std::memcpy(sum, result, sizeof sum);
            for (int i = 0; i < product.k; ++i) {
                const T factor = a[row * product.k + i];
                const T* others = b + i * product.n + column;
                for (std::size_t j = 0; j < Columns; ++j) sum[j] += factor * others[j];
            }
            std::memcpy(result, sum, sizeof sum);
        }
}

}  // namespace

std::uint64_t element_bits(const unsigned char* bytes, std::size_t index, int bits) {
    std::uint64_t value = 0;
    const std::size_t at = index * static_cast<std::size_t>(bits);
    std::memcpy(&value, bytes + at / 8, static_cast<std::size_t>((bits + 7) / 8));
    return bits < 8 ? value >> at % 8 & ((1u << bits) - 1) : value;
}

template <> float value_of(Element element, std::uint64_t bits) { return float_of(element, bits); }

template <> std::int32_t value_of(Element element, std::uint64_t bits) { return integer_of(element, bits); }

Element find_element(std::string_view modifier) {
    for (const Name& name : names)
        if (name.name == modifier) return name.element;
    return Element::none;
}

std::vector<Element> elements_of(const ptx::Instruction& instruction) {
    std::vector<Element> elements;
    for (const std::string& modifier : instruction.modifiers)
        if (const Element element = find_element(modifier); element != Element::none) elements.push_back(element);
    return elements;
}

int bits_of(Element element) {
    for (const Name& name : names)
        if (name.element == element) return name.bits;
    return 32;
}

std::uint64_t tensor_multiplications(const Product& product, Element element, bool sparse) {
    const int sixteenths = element == Element::f64 ? 16 * 16 : bits_of(element);
    return static_cast<std::uint64_t>(product.m * product.n * product.k) * static_cast<std::uint64_t>(sixteenths) / (sparse ? 32 : 16);
}

bool is_integer(Element element) {
    switch (element) {
        case Element::s8:
        case Element::u8:
        case Element::s4:
        case Element::u4:
        case Element::b1:
        case Element::s32: return true;
        default: return false;
    }
}

Shape shape_of(const ptx::Instruction& instruction) {
    for (const std::string& modifier : instruction.modifiers) {
        Shape shape;
        const char* at = modifier.data();
        const char* const end = at + modifier.size();
        const auto part = [&](char letter, int& value) {
            if (at == end || *at != letter) return false;
            const auto [next, error] = std::from_chars(at + 1, end, value);
            at = next;
            return error == std::errc{};
        };
        if (part('m', shape.m) && part('n', shape.n) && part('k', shape.k) && at == end) return shape;
    }
    return {};
}

void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, float* to) {
    const Element element = fragment.element;
    for_each_element(warp, instruction, first, fragment,
                     [=](std::uint64_t bits, std::uint32_t index) { to[index] = float_of(element, bits); });
}

void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, double* to) {
    for_each_element(warp, instruction, first, fragment,
                     [=](std::uint64_t bits, std::uint32_t index) { to[index] = std::bit_cast<double>(bits); });
}

void read(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, std::int32_t* to) {
    const Element element = fragment.element;
    for_each_element(warp, instruction, first, fragment,
                     [=](std::uint64_t bits, std::uint32_t index) { to[index] = integer_of(element, bits); });
}

void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const float* from) {
    if (fragment.element == Element::f16)
        set_each_element(warp, instruction, first, fragment,
                         [=](std::uint32_t index) { return std::uint32_t{round_to<Half>(from[index]).bits}; });
    else
        set_each_element(warp, instruction, first, fragment,
                         [=](std::uint32_t index) { return std::bit_cast<std::uint32_t>(canonical(from[index])); });
}

void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const double* from) {
    set_each_element(warp, instruction, first, fragment, [=](std::uint32_t index) { return std::bit_cast<std::uint64_t>(from[index]); });
}

void write(Warp& warp, const DecodedInstruction& instruction, int first, const Fragment& fragment, const std::int32_t* from) {
    set_each_element(warp, instruction, first, fragment, [=](std::uint32_t index) { return std::bit_cast<std::uint32_t>(from[index]); });
}

void multiply(const Product& product, const float* a, const float* b, float* c) { multiply_rows<8>(product, a, b, c); }

void multiply(const Product& product, const double* a, const double* b, double* c) {
    for (int row = 0; row < product.m; ++row)
        for (int column = 0; column < product.n; ++column) {
            double& sum = c[row * product.n + column];
            for (int i = 0; i < product.k; ++i) sum = std::fma(a[row * product.k + i], b[i * product.n + column], sum);
        }
}

void multiply(const Product& product, const std::int32_t* a, const std::int32_t* b, std::int32_t* c) {
    for (int row = 0; row < product.m; ++row)
        for (int column = 0; column < product.n; ++column) {
            std::int64_t sum = c[row * product.n + column];
            for (int i = 0; i < product.k; ++i) {
                const std::int32_t x = a[row * product.k + i], y = b[i * product.n + column];
                sum += product.exclusive_or ? x ^ y : x * y;
            }
            if (product.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
            c[row * product.n + column] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
        }
}

void need_all_lanes(Warp& warp, const char* instruction) {
    if (warp.active == all_lanes) return;
    throw LaunchStopped(error_illegal_instruction,
                        warp.launch->message_of(warp, first_lane(warp.active), MessageCode::some_lanes_only,
                                                {{"instruction", instruction}, {"lanes", std::popcount(warp.active)}}));
}

int add_registers(Decoder& decoder, DecodedInstruction& out, const ptx::Operand& operand, ptx::Type type) {
    const int before = out.operand_count;
    decoder.add_all(out, operand, type);
    return out.operand_count - before;
}

}  // namespace simt::interpreter::tensor
