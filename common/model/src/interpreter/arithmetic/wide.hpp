// Integer types of other sizes than a given type.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace simt::interpreter {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// A value of type .b128.
struct Bits128 {
    std::uint64_t low, high;
    bool operator==(const Bits128&) const = default;
};

namespace detail {

template <class T> struct Twice;
template <> struct Twice<std::uint16_t> : std::type_identity<std::uint32_t> {};
template <> struct Twice<std::int16_t> : std::type_identity<std::int32_t> {};
template <> struct Twice<std::uint32_t> : std::type_identity<std::uint64_t> {};
template <> struct Twice<std::int32_t> : std::type_identity<std::int64_t> {};
template <> struct Twice<std::uint64_t> : std::type_identity<Uint128> {};
template <> struct Twice<std::int64_t> : std::type_identity<Int128> {};

}  // namespace detail

/// The integer type of twice the size.
template <class T> using Wide = typename detail::Twice<T>::type;

/// An unsigned type in which T's values can be added and multiplied without promotion to a signed type.
template <class T> using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T> inline constexpr unsigned bits_of = 8 * static_cast<unsigned>(sizeof(T));

/// The value of T that is nearest to `value`.
template <class T, class Value> constexpr T clamp_to(Value value) {
    if (value < static_cast<Value>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (value > static_cast<Value>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

}  // namespace simt::interpreter
