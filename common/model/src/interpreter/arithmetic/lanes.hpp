// Loops over the lanes of a warp, for handlers of lane-wise instructions.
//
// An operator is a type with a static function `of` that takes a lane's sources and returns its result:
// `lanewise<Add, T, T, T>` is the handler that applies it to the active lanes. `of` must be defined for all values, since
// it may also be computed, in vain, for lanes that are not active.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "interpreter/decode/instruction.hpp"

/// Precedes a loop over lanes. A destination equals a source register or does not overlap it, so lanes do not depend on one another.
#if defined(__clang__)
#define SIMT_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIMT_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace simt::interpreter {

/// For loops over the warps that execute a lane-wise instruction together: `for (RegisterFile& file : registers_of(warp))`.
struct RegisterFiles {
    struct Iterator {
        RegisterFile* file;
        RegisterFile& operator*() const { return *file; }
        void operator++() { file = file->next_in_team; }
        /// Where launches are counted, there is one warp.
        bool operator==(std::default_sentinel_t) const { return __builtin_expect(static_cast<long>(file == nullptr), 1) != 0; }
    };

    RegisterFile* first;
    Iterator begin() const { return {first}; }
    static std::default_sentinel_t end() { return {}; }
};

/// The registers of `warp`, which begins with them (warp.hpp), and of the warps linked behind it.
inline RegisterFiles registers_of(Warp& warp) { return {reinterpret_cast<RegisterFile*>(&warp)}; }

/// Two values in one register, the first in the lower bits.
template <class T> struct Pair { T low, high; };

namespace detail {

template <class Word> constexpr std::array<Word, warp_size> make_lane_bits() {
    std::array<Word, warp_size> bits{};
    for (std::size_t lane = 0; lane < bits.size(); ++lane) bits[lane] = Word{1} << lane;
    return bits;
}

template <class Word> inline constexpr std::array<Word, warp_size> lane_bit_table = make_lane_bits<Word>();

}  // namespace detail

/// Bit i of a mask for each lane i, in words of 64 bits if T has 64 bits, and of 32 bits otherwise. It is a table, since processors
/// compare vectors faster than they shift them.
template <class T>
inline constexpr const auto* lane_bits = detail::lane_bit_table<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>.data();

/// Calls `f(lane)` for each lane of `active`.
template <class F> inline void for_active(std::uint32_t active, F f) {
    for (std::uint32_t left = active; left != 0; left &= left - 1) f(std::countr_zero(left));
}

/// Sets `destination[lane] = value(lane)` for the lanes of `active`. `costly`: `value` is not computed for other lanes.
template <bool costly = false, class D, class F> inline void write_lanes(std::uint32_t active, D* destination, F value) {
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

/// The mask of lanes where `holds(lane)`. T is the type of the compared values. Lanes that are not active count too.
template <class T, class F> inline std::uint32_t lanes_where(F holds) {
#if defined(__AVX2__)
    // These processors have an instruction that makes a mask, which GCC does not find.
    if constexpr (sizeof(T) == 4) {
        constexpr int together = 8;
        std::uint32_t lanes = 0;
        for (int first = 0; first < warp_size; first += together) {
            alignas(32) std::int32_t truth[together];
            for (int i = 0; i < together; ++i) truth[i] = holds(first + i) ? -1 : 0;
            lanes |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(truth)))) << first;
        }
        return lanes;
    }
#endif
    std::remove_cvref_t<decltype(*lane_bits<T>)> mask = 0;
    for (int lane = 0; lane < warp_size; ++lane) mask |= holds(lane) ? lane_bits<T>[lane] : 0;
    return static_cast<std::uint32_t>(mask);
}

namespace detail {

template <class Operator> constexpr bool is_costly() {
    if constexpr (requires { Operator::costly; }) return Operator::costly;
    return false;
}

template <class T> inline T* operand(RegisterFile& file, const DecodedInstruction& instruction, std::size_t n) {
    return values<T>(file, instruction.operand[n]);
}

template <class Operator, class D, class... Sources, std::size_t... n>
void lanewise(RegisterFile& file, const DecodedInstruction& instruction, std::index_sequence<n...>) {
    write_lanes<is_costly<Operator>()>(
        file.active, operand<D>(file, instruction, 0),
        [... source = operand<const Sources>(file, instruction, n + 1)](int lane) { return Operator::of(source[lane]...); });
}

}  // namespace detail

/// Applies an operation to values of each lane.
template <class Operator, class D, class... Sources> void lanewise(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp))
        detail::lanewise<Operator, D, Sources...>(file, instruction, std::index_sequence_for<Sources...>{});
}

namespace detail {

template <class Operator, class T, std::size_t... n>
void packed(RegisterFile& file, const DecodedInstruction& instruction, std::index_sequence<n...>) {
    using Whole = std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>;
    T* destination = operand<T>(file, instruction, 0);
    const T* const sources[] = {operand<T>(file, instruction, n + 1)...};
    if (file.active == all_lanes) {
        SIMT_INDEPENDENT_LANES
        for (int element = 0; element < 2 * warp_size; ++element) destination[element] = Operator::of(sources[n][element]...);
        return;
    }
    alignas(64) T result[2 * warp_size];
    for (int element = 0; element < 2 * warp_size; ++element) result[element] = Operator::of(sources[n][element]...);
    alignas(64) Whole wholes[warp_size];
    std::memcpy(wholes, result, sizeof wholes);
    write_lanes(file.active, operand<Whole>(file, instruction, 0), [&](int lane) { return wholes[lane]; });
}

}  // namespace detail

/// Applies an operation to both halves of registers that hold two values of T.
template <class Operator, class T, std::size_t sources> void packed(Warp& warp, const DecodedInstruction& instruction) {
    for (RegisterFile& file : registers_of(warp)) detail::packed<Operator, T>(file, instruction, std::make_index_sequence<sources>{});
}

/// The handler of an operation whose operands all have type T.
template <class Operator, class T, std::size_t sources> constexpr Execute handler() {
    if constexpr (sources == 1) return lanewise<Operator, T, T>;
    if constexpr (sources == 2) return lanewise<Operator, T, T, T>;
    if constexpr (sources == 3) return lanewise<Operator, T, T, T, T>;
}

/// The semantics of an instruction whose operands have these types; the last type holds for all further operands.
template <class... Types> inline Semantics semantics(Execute execute, Types... types) {
    Semantics result{execute, {}, 0};
    const std::array<ptx::Type, sizeof...(Types)> given{types...};
    for (std::size_t n = 0; n < result.types.size(); ++n) result.types[n] = given[n < given.size() ? n : given.size() - 1];
    return result;
}

}  // namespace simt::interpreter
