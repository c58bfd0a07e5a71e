// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Compares the output of a kernel with the expected output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>
#include <sstream>
#include <string>

namespace conflict_free {

/// Calls `part(begin, end)` for parts of [0, count) on all cores, and returns when all are done. Parts have at
/// least `least_part` elements, which make a thread worthwhile.
void parallel_for(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& part,
                  std::size_t least_part = std::size_t{1} << 16);

/// Compares `actual` element by element, bit for bit, with `expected(index)`.
/// @return an empty text if all agree, else the number of differences and the first of them
template <class Element, class Expected> std::string compare_elements(std::span<const Element> actual, Expected&& expected)
{
    std::mutex mutex;
    std::size_t differences = 0, first = actual.size();
    parallel_for(actual.size(), [&](std::size_t begin, std::size_t end) {
        std::size_t found = 0, first_found = actual.size();
        for (std::size_t i = begin; i < end; ++i) {
            const Element wanted = expected(i);
            if (std::memcmp(&actual[i], &wanted, sizeof(Element)) == 0) continue;
            first_found = std::min(first_found, i);
            ++found;
        }
        const std::lock_guard lock(mutex);
        differences += found;
        first = std::min(first, first_found);
    });
    if (differences == 0) return {};
    std::ostringstream message;
    message << differences << " of " << actual.size() << " elements differ; the first is element " << first << ": " << actual[first]
            << ", expected " << expected(first);
    return message.str();
}

}  // namespace conflict_free
