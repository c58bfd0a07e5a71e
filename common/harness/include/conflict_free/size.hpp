// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The size of a problem, as it is given on the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace conflict_free {

/// Width and height of a matrix, in elements.
struct Size {
    /// Elements of a row, from 1; those of an array, from 0.
    int width = 0;
    /// Rows; 1 for an array.
    int height = 0;

    /// Number of elements.
    std::size_t count() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }

    /// True if both are the same.
    bool operator==(const Size&) const = default;
};

/// Most elements of an array, or of a row: blocks have at most 1024 threads, and the number of the last thread of the last
/// block fits an int.
inline constexpr int most_elements = std::numeric_limits<int>::max() - 1023;

/// Most blocks of a grid in y.
inline constexpr int most_blocks_in_y = 65535;

/// Most rows of a matrix whose blocks have 32 rows each.
inline constexpr int most_rows = most_blocks_in_y * 32;

/// Reads "N" (N×N) or "WxH". Both are whole numbers from 1, W is at most most_elements, H is at most `most_height`, and
/// W × H is at most `most_count`: below 2³¹ unless given, so that an index fits an int.
/// @throws UsageError for anything else
Size parse_size(std::string_view text, int most_height = most_rows, std::int64_t most_count = std::numeric_limits<int>::max());

/// "WxH".
std::string to_string(Size size);

}  // namespace conflict_free
