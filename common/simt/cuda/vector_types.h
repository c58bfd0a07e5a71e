// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// CUDA's built-in vector types, laid out and aligned as on the device.
///
/// The types of two and four components are loaded and stored whole: `float4 v = p[i];` and `p[i] = make_float4(…);` are
/// one access of 16 bytes, `p[i].y` is one of 4 bytes. The types of three components are copied component by component.
/// Where nvcc goes further the counts differ: it narrows `float4 v = p[i];` to one component if only one is used, and it
/// merges `p[i].x + p[i].y` into one access.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <type_traits>

#include "simt_cuda/uncounted.h"

namespace simt {

/// Tells that a whole vector is copied from `source` to `destination` at `site`. Local memory is not counted.
void record_vector_copy(const void* destination, const void* source, std::size_t bytes, const void* site);

namespace detail {

/// Member of no bytes that keeps the compiler from splitting a vector into its components: it does not replace
/// aggregates that hold something volatile by scalars. Being a union leaves the vector usable in constant expressions.
union KeepWhole {
    char plain;
    volatile char opaque;
};

/// The assignment of a vector from a temporary. The implicit operator would build the temporary where it is assigned to,
/// component by component.
template <class Vector>
SIMT_UNCOUNTED_INLINE constexpr Vector& assign_whole(Vector& to, const Vector& from, const void* site)
{
    if (!std::is_constant_evaluated()) record_vector_copy(&to, &from, sizeof(Vector), site);
    return to = from;
}

}  // namespace detail
}  // namespace simt

// Type stays trivially copyable and an aggregate: a template is never a copy assignment.
#define SIMT_WHOLE_VECTOR(type, element)                                                           \
    ::simt::detail::KeepWhole simt_keep_whole[0];                                                  \
    constexpr type& operator=(const type&) = default;                                              \
    template <class Temporary>                                                                     \
        requires std::is_same_v<Temporary, type>                                                   \
    SIMT_UNCOUNTED constexpr type& operator=(Temporary&& from)                                     \
    {                                                                                              \
        return ::simt::detail::assign_whole(*this, static_cast<const type&>(from), SIMT_SITE);     \
    }                                                                                              \
    SIMT_UNCOUNTED constexpr type& operator=(std::initializer_list<element> components)            \
    {                                                                                              \
        type from{};                                                                               \
        std::size_t i = 0;                                                                         \
        for (element component : components) from.simt_component(i++) = component;                 \
        return ::simt::detail::assign_whole(*this, static_cast<const type&>(from), SIMT_SITE);     \
    }                                                                                              \
    template <std::size_t i>                                                                       \
    constexpr element& get()                                                                       \
    {                                                                                              \
        return simt_component(i);                                                                  \
    }                                                                                              \
    template <std::size_t i>                                                                       \
    constexpr const element& get() const                                                           \
    {                                                                                              \
        return const_cast<type*>(this)->simt_component(i);                                         \
    }
#define SIMT_SITE (std::is_constant_evaluated() ? nullptr : __builtin_return_address(0))

#define SIMT_VECTOR_TYPES(base, element, align2, align4)                                               \
    struct base##1 {                                                                                   \
        element x;                                                                                     \
    };                                                                                                 \
    struct alignas(align2) base##2 {                                                                   \
        element x, y;                                                                                  \
        SIMT_WHOLE_VECTOR(base##2, element)                                                            \
        SIMT_UNCOUNTED_INLINE constexpr element& simt_component(std::size_t i)                         \
        {                                                                                              \
            return i == 0 ? x : y;                                                                     \
        }                                                                                              \
    };                                                                                                 \
    struct base##3 {                                                                                   \
        element x, y, z;                                                                               \
    };                                                                                                 \
    struct alignas(align4) base##4 {                                                                   \
        element x, y, z, w;                                                                            \
        SIMT_WHOLE_VECTOR(base##4, element)                                                            \
        SIMT_UNCOUNTED_INLINE constexpr element& simt_component(std::size_t i)                         \
        {                                                                                              \
            return i == 0 ? x : i == 1 ? y : i == 2 ? z : w;                                           \
        }                                                                                              \
    };                                                                                                 \
    template <>                                                                                        \
    struct std::tuple_size<base##2> : std::integral_constant<std::size_t, 2> {};                       \
    template <>                                                                                        \
    struct std::tuple_size<base##4> : std::integral_constant<std::size_t, 4> {};                       \
    template <std::size_t i>                                                                           \
    struct std::tuple_element<i, base##2> : std::type_identity<element> {};                            \
    template <std::size_t i>                                                                           \
    struct std::tuple_element<i, base##4> : std::type_identity<element> {};

SIMT_VECTOR_TYPES(char, signed char, 2, 4)
SIMT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
SIMT_VECTOR_TYPES(short, short, 4, 8)
SIMT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
SIMT_VECTOR_TYPES(int, int, 8, 16)
SIMT_VECTOR_TYPES(uint, unsigned int, 8, 16)
SIMT_VECTOR_TYPES(long, long, 16, 16)
SIMT_VECTOR_TYPES(ulong, unsigned long, 16, 16)
SIMT_VECTOR_TYPES(longlong, long long, 16, 16)
SIMT_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
SIMT_VECTOR_TYPES(float, float, 8, 16)
SIMT_VECTOR_TYPES(double, double, 16, 16)

#undef SIMT_VECTOR_TYPES
#undef SIMT_WHOLE_VECTOR
#undef SIMT_SITE

/// The extent of a grid or a block.
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

#include "vector_functions.h"
