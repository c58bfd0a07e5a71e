// Chooses the C++ type of an operation by the type of PTX.
#pragma once

#include <cstdint>
#include <type_traits>

#include "interpreter/decode/instruction.hpp"

namespace simt::interpreter {

/// Calls `f` with a value of the C++ type for `type` (16, 32 or 64 bits, signedness as given; `.b` is unsigned), and
/// returns the handler that it gives; null for other types.
template <class F> Execute with_integer(ptx::Type type, F f) {
    switch (type) {
        case ptx::Type::b16:
        case ptx::Type::u16: return f(std::uint16_t{});
        case ptx::Type::s16: return f(std::int16_t{});
        case ptx::Type::b32:
        case ptx::Type::u32: return f(std::uint32_t{});
        case ptx::Type::s32: return f(std::int32_t{});
        case ptx::Type::b64:
        case ptx::Type::u64: return f(std::uint64_t{});
        case ptx::Type::s64: return f(std::int64_t{});
        default: return nullptr;
    }
}

/// The same for operations on bits alone: `f` gets an unsigned value of the size of `type`, which may be any type of
/// 16, 32 or 64 bits.
template <class F> Execute with_bits(ptx::Type type, F f) {
    switch (ptx::bytes_of(type)) {
        case 2: return f(std::uint16_t{});
        case 4: return f(std::uint32_t{});
        case 8: return f(std::uint64_t{});
        default: return nullptr;
    }
}

/// Calls `f` with a std::true_type or std::false_type for each flag, and returns the handler that it gives.
template <class F> Execute with_flags(F f) { return f(); }

template <class F, class... More> Execute with_flags(F f, bool flag, More... more) {
    return flag ? with_flags([=](auto... rest) { return f(std::true_type{}, rest...); }, more...)
                : with_flags([=](auto... rest) { return f(std::false_type{}, rest...); }, more...);
}

/// The finder of an instruction, as a row of opcodes.def names it, by a finder that serves several.
#define SIMT_FINDER(name, ...) \
    Semantics name(const ptx::Instruction& instruction) { return __VA_ARGS__(instruction); }

}  // namespace simt::interpreter
