// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The size of a problem, as it is given on the command line.
#pragma once

#include <cstddef>
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

/// Most blocks of a grid in y.
inline constexpr int most_blocks_in_y = 65535;

/// Most rows of a matrix whose blocks have 32 rows each.
inline constexpr int most_rows = most_blocks_in_y * 32;

/// Reads "N" (N×N) or "WxH". Both are whole numbers from 1, H is at most `most_height`, and W × H is below 2³¹, so that an
/// index fits an int.
/// @throws UsageError for anything else
Size parse_size(std::string_view text, int most_height = most_rows);

/// "WxH".
std::string to_string(Size size);

}  // namespace conflict_free
