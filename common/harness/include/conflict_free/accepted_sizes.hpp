// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// The sizes that a kernel accepts, if it does not accept all: `multiples_of(4) && widths_up_to(2048)`.
#pragma once

#include <string>

#include "conflict_free/size.hpp"
#include "conflict_free/std_function.hpp"

namespace conflict_free {

/// Says whether a kernel runs at a size.
struct AcceptedSizes {
    /// Absent for any size.
    std::function<bool(Size)> accepts;
    /// The sizes in words, such as "square sizes".
    std::string text;
};

/// Sizes that both accept.
AcceptedSizes operator&&(AcceptedSizes first, AcceptedSizes second);

/// Square sizes.
AcceptedSizes square_sizes();

/// Sizes whose width and height are multiples of `elements`.
AcceptedSizes multiples_of(int elements);

/// Widths up to `most`, such as those of a grid that has its columns of tiles in y.
AcceptedSizes widths_up_to(int most);

/// Widths from `least`, such as those of a kernel that takes several elements for one of its own.
AcceptedSizes widths_from(int least);

/// Arrays of at most `n` elements.
AcceptedSizes at_most(int n);

}  // namespace conflict_free
