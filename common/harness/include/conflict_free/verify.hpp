// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Compares the output of a kernel with the expected output.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// Calls `part(begin, end)` for parts of [0, count) on all cores, and returns when all are done. Parts have at
/// least `least_part` elements, which make a thread worthwhile.
void parallel_for(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& part,
                  std::size_t least_part = std::size_t{1} << 16);

namespace detail {

/// How many elements differ, and the index of the first that does.
struct Differences {
    /// How many elements differ.
    std::size_t count = 0;
    /// The index of the first of them.
    std::size_t first = 0;
};

/// Adds up, on all cores, what `part(begin, end)` finds in parts of [0, count).
Differences find_differences(std::size_t count, const std::function<Differences(std::size_t begin, std::size_t end)>& part);

/// One line that tells `found` of `count` elements, with both texts of the first that differs.
std::string tell_differences(std::size_t count, Differences found, const std::string& actual, const std::string& expected);

/// A number as text, with six significant digits if it is no integer.
std::string number_text(double number);

/// An element as text: an integer whole, any other number by number_text().
template <class Element> std::string element_text(const Element& element) {
    if constexpr (std::is_integral_v<Element>) return std::to_string(element);
    else return number_text(static_cast<double>(element));
}

}  // namespace detail

/// Compares `actual` element by element, bit for bit, with `expected(index)`.
/// @return an empty text if all agree, else the number of differences and the first of them
template <class Element, class Expected> std::string compare_elements(std::span<const Element> actual, Expected&& expected) {
    const auto found = detail::find_differences(actual.size(), [&](std::size_t begin, std::size_t end) {
        detail::Differences differences;
        for (std::size_t i = begin; i < end; ++i) {
            const Element wanted = expected(i);
            if (std::memcmp(&actual[i], &wanted, sizeof(Element)) == 0) continue;
            if (differences.count++ == 0) differences.first = i;
        }
        return differences;
    });
    if (found.count == 0) return {};
    const Element wanted = expected(found.first);
    return detail::tell_differences(actual.size(), found, detail::element_text(actual[found.first]), detail::element_text(wanted));
}

}  // namespace conflict_free
