// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Loops over the lanes of a warp, for handlers of lane-wise instructions.
///
/// An operation is a type with a static function `of` that takes a lane's sources and returns its result:
/// `binary<Add, T, T, T>` is the handler that applies it to the active lanes. `of` must be defined for all values: the
/// lanes that are not active may be computed too, and are then thrown away.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "interpreter/decode/instruction.hpp"

/// Stands before a loop over lanes: a destination is either a source's register, whole, or has nothing of it, so lanes
/// do not depend on one another.
#if defined(__clang__)
#define SIMT_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIMT_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace simt::interpreter {

/// The registers of `warp`, which begins with them (warp.hpp).
inline RegisterFile& registers_of(Warp& warp) { return reinterpret_cast<RegisterFile&>(warp); }

/// Two values in one register, the first in the lower bits.
template <class T> struct Pair {
    T low, high;
};

namespace detail {

template <class Word> constexpr std::array<Word, warp_size> make_lane_bits()
{
    std::array<Word, warp_size> bits{};
    for (std::size_t lane = 0; lane < bits.size(); ++lane) bits[lane] = Word{1} << lane;
    return bits;
}

template <class Word> inline constexpr std::array<Word, warp_size> lane_bit_table = make_lane_bits<Word>();

}  // namespace detail

/// Bit i of a mask, for each lane i, in words of the size of T where T has 64 bits, and of 32 bits otherwise: a table,
/// since processors compare vectors more readily than they shift them.
template <class T>
inline constexpr const auto* lane_bits = detail::lane_bit_table<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>.data();

/// Calls `f(lane)` for each lane of `active`.
template <class F> inline void for_active(std::uint32_t active, F f)
{
    for (std::uint32_t left = active; left != 0; left &= left - 1) f(std::countr_zero(left));
}

/// `destination[lane] = value(lane)` in the lanes of `active`. `costly`: better not computed for lanes in vain.
template <bool costly = false, class D, class F> inline void write_lanes(std::uint32_t active, D* destination, F value)
{
    if (active == all_lanes) {
        SIMT_INDEPENDENT_LANES
        for (int lane = 0; lane < warp_size; ++lane) destination[lane] = value(lane);
    } else if constexpr (!costly && std::is_arithmetic_v<D> && sizeof(D) >= 4) {
        alignas(64) D result[warp_size];
        for (int lane = 0; lane < warp_size; ++lane) result[lane] = value(lane);
        for (int lane = 0; lane < warp_size; ++lane)
            destination[lane] = (active & lane_bits<D>[lane]) != 0 ? result[lane] : destination[lane];
    } else {
        for_active(active, [&](int lane) { destination[lane] = value(lane); });
    }
}

/// The mask of lanes where `holds(lane)`. T is the type that is looked at. Lanes that are not active count too.
template <class T, class F> inline std::uint32_t lanes_where(F holds)
{
    std::remove_cvref_t<decltype(*lane_bits<T>)> mask = 0;
    for (int lane = 0; lane < warp_size; ++lane) mask |= holds(lane) ? lane_bits<T>[lane] : 0;
    return static_cast<std::uint32_t>(mask);
}

namespace detail {

template <class Operation> constexpr bool is_costly()
{
    if constexpr (requires { Operation::costly; }) return Operation::costly;
    return false;
}

template <class T> inline T* operand(RegisterFile& file, const Instruction& instruction, std::size_t n)
{
    return values<T>(file, instruction.operand[n]);
}

}  // namespace detail

template <class Operation, class D, class A> void unary(Warp& warp, const Instruction& instruction)
{
    RegisterFile& file = registers_of(warp);
    const A* a = detail::operand<A>(file, instruction, 1);
    write_lanes<detail::is_costly<Operation>()>(file.active, detail::operand<D>(file, instruction, 0),
                                                [=](int lane) { return Operation::of(a[lane]); });
}

template <class Operation, class D, class A, class B> void binary(Warp& warp, const Instruction& instruction)
{
    RegisterFile& file = registers_of(warp);
    const A* a = detail::operand<A>(file, instruction, 1);
    const B* b = detail::operand<B>(file, instruction, 2);
    write_lanes<detail::is_costly<Operation>()>(file.active, detail::operand<D>(file, instruction, 0),
                                                [=](int lane) { return Operation::of(a[lane], b[lane]); });
}

template <class Operation, class D, class A, class B, class C> void ternary(Warp& warp, const Instruction& instruction)
{
    RegisterFile& file = registers_of(warp);
    const A* a = detail::operand<A>(file, instruction, 1);
    const B* b = detail::operand<B>(file, instruction, 2);
    const C* c = detail::operand<C>(file, instruction, 3);
    write_lanes<detail::is_costly<Operation>()>(file.active, detail::operand<D>(file, instruction, 0),
                                                [=](int lane) { return Operation::of(a[lane], b[lane], c[lane]); });
}

template <class Operation, class D, class A, class B, class C, class E> void quaternary(Warp& warp, const Instruction& instruction)
{
    RegisterFile& file = registers_of(warp);
    const A* a = detail::operand<A>(file, instruction, 1);
    const B* b = detail::operand<B>(file, instruction, 2);
    const C* c = detail::operand<C>(file, instruction, 3);
    const E* e = detail::operand<E>(file, instruction, 4);
    write_lanes<detail::is_costly<Operation>()>(file.active, detail::operand<D>(file, instruction, 0),
                                                [=](int lane) { return Operation::of(a[lane], b[lane], c[lane], e[lane]); });
}

namespace detail {

template <class Operation, class T, std::size_t... n>
void packed(RegisterFile& file, const Instruction& instruction, std::index_sequence<n...>)
{
    using Whole = std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>;
    T* destination = operand<T>(file, instruction, 0);
    const T* const sources[] = {operand<T>(file, instruction, n + 1)...};
    if (file.active == all_lanes) {
        SIMT_INDEPENDENT_LANES
        for (int element = 0; element < 2 * warp_size; ++element) destination[element] = Operation::of(sources[n][element]...);
        return;
    }
    alignas(64) T result[2 * warp_size];
    for (int element = 0; element < 2 * warp_size; ++element) result[element] = Operation::of(sources[n][element]...);
    alignas(64) Whole wholes[warp_size];
    std::memcpy(wholes, result, sizeof wholes);
    write_lanes(file.active, operand<Whole>(file, instruction, 0), [&](int lane) { return wholes[lane]; });
}

}  // namespace detail

/// Applies an operation to both halves of registers that hold two values of T.
template <class Operation, class T, std::size_t sources> void packed(Warp& warp, const Instruction& instruction)
{
    detail::packed<Operation, T>(registers_of(warp), instruction, std::make_index_sequence<sources>{});
}

/// The handler of an operation whose operands all have type T.
template <class Operation, class T, std::size_t sources> constexpr Execute handler()
{
    if constexpr (sources == 1) return unary<Operation, T, T>;
    if constexpr (sources == 2) return binary<Operation, T, T, T>;
    if constexpr (sources == 3) return ternary<Operation, T, T, T, T>;
}

/// What an instruction is whose operands have these types; the last one holds for all that follow.
template <class... Types> inline Semantics semantics(Execute execute, Types... types)
{
    Semantics result{execute, {}, 0};
    const std::array<ptx::Type, sizeof...(Types)> given{types...};
    for (std::size_t n = 0; n < result.types.size(); ++n) result.types[n] = given[n < given.size() ? n : given.size() - 1];
    return result;
}

}  // namespace simt::interpreter
